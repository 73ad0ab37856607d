-- Guards of the search path under which statements of an app run.

-- SQL that closes the search path of actions: it revokes CREATE from operators where actions look for names, and removes what
-- operators created there. Empty if nothing is open. An action looks along the search path that was recorded when its app was
-- installed, and runs as the owner, so an operator who may create there could plant a function that it calls. An old snapshot
-- shows old rights; functions such as has_schema_privilege don't read by the snapshot.
create or replace function usher.open_path() returns text[]
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
    return (
    with recursive owner as (
        select u.oid, u.rolname as name from pg_namespace n join pg_roles u on u.oid = n.nspowner where n.nspname = 'usher'
    ),
    operators (oid) as (
        select r.oid from pg_roles r
         where r.rolname in ('usher_support', 'usher_admin', 'usher_engineer', 'usher_eraser', 'usher_auditor')
         union
        select r.oid from pg_roles r where r.rolname = session_user
         union
        select m.member from operators o join pg_auth_members m on m.roleid = o.oid
    ),
    strangers (oid) as (
        select r.oid from operators p join pg_roles r on r.oid = p.oid, owner w
         where not r.rolsuper and not pg_has_role(r.oid, w.oid, 'member')
    ),
    path as (
        select case e.name when '$user' then w.name::text else e.name end as name, min(s.place) as place
          from (select distinct on (a.app) a.definition ->> 'path' as path
                  from usher.act a
                 where a.kind = 'app'
                 order by a.app, a.retired_at desc nulls first, a.installed_at desc) a
         cross join owner w
         cross join lateral regexp_split_to_table(a.path, ',') with ordinality as s (element, place)
         cross join lateral (
               select replace(regexp_replace(btrim(s.element), '^"(.*)"$', '\1'), '""', '"')
               ) as e (name)
         where btrim(s.element) <> ''
         group by 1
    ),
    names (places) as (
        select array_agg(n.oid) from pg_namespace n where n.nspname = 'pg_catalog' or n.nspname in (select p.name from path p)
    ),
    -- Of tables and types with the same name, the first in the path counts: each schema, and the schemas after it.
    behind (place, places) as (
        select n.oid, array(select m.oid from path q join pg_namespace m on m.nspname = q.name where q.place > p.place)
          from path p
          join pg_namespace n on n.nspname = p.name
    ),
    open (place, name, owner, grantee) as (
        select 'schema', n.nspname, n.nspowner, x.grantee
          from path p
          join pg_namespace n on n.nspname = p.name and n.nspname !~ '^pg_'
         cross join lateral aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) x
         where x.privilege_type = 'CREATE'
         union all
        -- A schema of the path that doesn't exist can be created by an operator with CREATE on the database.
        select 'database', d.datname, d.datdba, x.grantee
          from pg_database d
         cross join lateral aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) x
         where d.datname = current_database() and x.privilege_type = 'CREATE'
           and exists (select from path p where not exists (select from pg_namespace n where n.nspname = p.name))
    ),
    remedies (remedy) as (
        select case o.grantee
               when o.owner then format('alter %s %I owner to %I;', o.place, o.name, w.name)
               else format('revoke create on %s %I from %s;', o.place, o.name,
                           case o.grantee when 0 then 'public' else quote_ident(pg_get_userbyid(o.grantee)) end)
               end
          from open o, owner w
         where o.grantee = 0
            or exists (select from strangers p where pg_has_role(p.oid, o.grantee, 'member'))
         union
        -- An object that an operator owns hides another one with the same name.
        select format('drop %s %s;', o.kind, o.written)
          from names
         cross join strangers p
          join pg_shdepend d on d.refclassid = 'pg_authid'::regclass and d.refobjid = p.oid and d.deptype = 'o'
                            and d.dbid = (select b.oid from pg_database b where b.datname = current_database())
         cross join lateral (
               select case f.prokind when 'p' then 'procedure' when 'a' then 'aggregate' else 'function' end,
                      f.oid::regprocedure::text, f.pronamespace,
                      exists (select from pg_proc m
                               where m.proname = f.proname and m.pronamespace = any (names.places)
                                 and m.proowner not in (select s.oid from strangers s))
                 from pg_proc f where d.classid = 'pg_proc'::regclass and f.oid = d.objid
                union all
               select 'operator', r.oid::regoperator::text, r.oprnamespace,
                      exists (select from pg_operator m
                               where m.oprname = r.oprname and m.oprnamespace = any (names.places)
                                 and m.oprowner not in (select s.oid from strangers s))
                 from pg_operator r where d.classid = 'pg_operator'::regclass and r.oid = d.objid
                union all
               select 'type', t.oid::regtype::text, t.typnamespace,
                      exists (select from behind b join pg_type m on m.typnamespace = any (b.places)
                               where b.place = t.typnamespace and m.typname = t.typname
                                 and m.typowner not in (select s.oid from strangers s))
                 from pg_type t where d.classid = 'pg_type'::regclass and t.oid = d.objid
                union all
               select case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'f' then 'foreign table'
                                     when 'S' then 'sequence' else 'table' end,
                      c.oid::regclass::text, c.relnamespace,
                      exists (select from behind b join pg_class m on m.relnamespace = any (b.places)
                               where b.place = c.relnamespace and m.relname = c.relname
                                 and m.relowner not in (select s.oid from strangers s))
                 from pg_class c where d.classid = 'pg_class'::regclass and c.oid = d.objid
               ) as o (kind, written, place, is_taken)
         where o.is_taken and o.place = any (names.places)
         union
        -- A function of a trigger, default, constraint, index, policy or view runs as the role that writes or reads, and its owner can
        -- replace it.
        select case when g.oid is null then format('alter routine %s owner to %I;', d.refobjid::regprocedure, w.name)
                    else format('drop trigger %I on %s;', g.tgname, g.tgrelid::regclass) end
          from strangers p
          join pg_shdepend o on o.refclassid = 'pg_authid'::regclass and o.refobjid = p.oid and o.deptype = 'o'
                            and o.dbid = (select b.oid from pg_database b where b.datname = current_database())
                            and o.classid = 'pg_proc'::regclass
          join pg_depend d on d.refclassid = 'pg_proc'::regclass and d.refobjid = o.objid
          left join pg_trigger g on d.classid = 'pg_trigger'::regclass and g.oid = d.objid
          join pg_class c on c.oid = coalesce(g.tgrelid, case d.classid
               when 'pg_class'::regclass then d.objid
               when 'pg_attrdef'::regclass then (select a.adrelid from pg_attrdef a where a.oid = d.objid)
               when 'pg_constraint'::regclass then (select k.conrelid from pg_constraint k where k.oid = d.objid)
               when 'pg_policy'::regclass then (select y.polrelid from pg_policy y where y.oid = d.objid)
               when 'pg_rewrite'::regclass then (select r.ev_class from pg_rewrite r where r.oid = d.objid) end)
         cross join owner w
         where coalesce(g.tgparentid, 0) = 0 and c.relowner not in (select s.oid from strangers s)
    )
    select coalesce(
        (select array_agg(r.remedy order by r.remedy) from remedies r),
        (select array_agg(distinct format('revoke create on %s from %s;', coalesce('schema ' || n.place::text, 'database ' || quote_ident(current_database())),
                                          s.oid::regrole))
           from path p
          cross join lateral (select to_regnamespace(quote_ident(p.name)) as place) n
          cross join strangers s
          where p.name !~ '^pg_'
            and case when n.place is null then has_database_privilege(s.oid, current_database(), 'create')
                     else has_schema_privilege(s.oid, n.place, 'create') end), '{}'));
end
$$;

-- Refuses to install or run an action while an operator may create where it looks for names.
create or replace function usher.refuse_open_path() returns void
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
    remedies constant text[] := usher.open_path();
begin
    if remedies <> '{}' then
        raise exception 'operators may create functions, or did, that acts would run'
              using errcode = 'US003', detail = jsonb_build_object('refusal', 'open_path', 'remedies', remedies)::text,
                    hint = array_to_string(remedies, E'\n');
    end if;
end
$$;
