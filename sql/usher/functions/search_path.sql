-- Guards of the search path under which statements of an app run.

-- The operators whom the owner of this schema doesn't trust: the members of the roles of operators, and the connected user. Superusers
-- and those who may act as the owner are trusted.
create or replace function usher.strangers() returns oid[]
language sql stable
as $$
    with recursive operators (oid) as (
        select r.oid from pg_roles r
         where r.rolname in ('usher_support', 'usher_admin', 'usher_engineer', 'usher_eraser', 'usher_auditor', session_user)
         union
        select m.member from operators o join pg_auth_members m on m.roleid = o.oid
    )
    select array(
        select r.oid
          from operators p
          join pg_roles r on r.oid = p.oid
          join pg_namespace n on n.nspname = 'usher'
         where not r.rolsuper and not pg_has_role(r.oid, n.nspowner, 'member'))
$$;

-- Where actions look for names: along the search path that was recorded when their app was installed. A schema that doesn't exist has
-- no oid.
create or replace function usher.searched_schemas() returns table (name text, place bigint, schema oid)
language sql stable
as $$
    select p.name, p.place, n.oid
      from (select case e.name when '$user' then pg_get_userbyid(w.nspowner)::text else e.name end as name, min(s.place) as place
              from (select distinct on (a.app) a.definition ->> 'path' as path
                      from usher.act a
                     where a.kind = 'app'
                     order by a.app, a.retired_at desc nulls first, a.installed_at desc) a
              join pg_namespace w on w.nspname = 'usher'
             cross join lateral regexp_split_to_table(a.path, ',') with ordinality as s (element, place)
             cross join lateral (
                   select replace(regexp_replace(btrim(s.element), '^"(.*)"$', '\1'), '""', '"')
                   ) as e (name)
             where btrim(s.element) <> ''
             group by 1) p
      left join pg_namespace n on n.nspname = p.name
$$;

-- SQL that revokes CREATE from operators where actions look for names. A schema that doesn't exist can be created by an operator with
-- CREATE on the database. An old snapshot shows old rights; functions such as has_schema_privilege don't read by the snapshot.
create or replace function usher.open_schemas(strangers oid[]) returns setof text
language sql stable
as $$
    with path as materialized (
        select s.name, s.schema from usher.searched_schemas() s where s.name !~ '^pg_'
    ),
    open (place, name, owner, grantee) as (
        select 'schema', n.nspname, n.nspowner, x.grantee
          from path p
          join pg_namespace n on n.oid = p.schema
         cross join lateral aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) x
         where x.privilege_type = 'CREATE'
         union all
        select 'database', d.datname, d.datdba, x.grantee
          from pg_database d
         cross join lateral aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) x
         where d.datname = current_database() and x.privilege_type = 'CREATE' and exists (select from path p where p.schema is null)
    ),
    remedies (remedy) as materialized (
        select case o.grantee
               when o.owner then format('alter %s %I owner to %I;', o.place, o.name, (
                    select pg_get_userbyid(n.nspowner) from pg_namespace n where n.nspname = 'usher'))
               else format('revoke create on %s %I from %s;', o.place, o.name,
                           case o.grantee when 0 then 'public' else quote_ident(pg_get_userbyid(o.grantee)) end)
               end
          from open o
         where o.grantee = 0 or exists (select from unnest(strangers) s (oid) where pg_has_role(s.oid, o.grantee, 'member'))
    )
    select r.remedy from remedies r
     union all
    select format('revoke create on %s from %s;', coalesce('schema ' || n.place::text, 'database ' || quote_ident(current_database())),
                  s.oid::regrole)
      from path p
     cross join lateral (select to_regnamespace(quote_ident(p.name)) as place) n
     cross join unnest(strangers) s (oid)
     where not exists (select from remedies)
       and case when n.place is null then has_database_privilege(s.oid, current_database(), 'create')
                else has_schema_privilege(s.oid, n.place, 'create') end
$$;

-- SQL that removes what operators own and an action would run. An object hides another one with the same name: functions and operators
-- in any schema of the path, tables and types in the schemas after theirs. A function of a trigger, default, constraint, index,
-- policy or view runs as the role that writes or reads, and its owner can replace it.
create or replace function usher.planted_objects(strangers oid[]) returns setof text
language sql stable
as $$
    with path as materialized (
        select s.schema, s.place from usher.searched_schemas() s where s.schema is not null
    ),
    names (schemas) as (
        select array_agg(p.schema) || 'pg_catalog'::regnamespace::oid from path p
    ),
    owned as materialized (
        select d.classid, d.objid
          from pg_shdepend d
         where d.refclassid = 'pg_authid'::regclass and d.refobjid = any (strangers) and d.deptype = 'o'
           and d.dbid = (select b.oid from pg_database b where b.datname = current_database())
    )
    select format('drop %s %s;', i.type, i.identity)
      from owned o
     cross join names
     cross join lateral pg_identify_object(o.classid, o.objid, 0) i
     where exists (select from pg_proc f join pg_proc m using (proname)
                    where o.classid = 'pg_proc'::regclass and f.oid = o.objid and f.pronamespace = any (names.schemas)
                      and m.pronamespace = any (names.schemas) and m.proowner <> all (strangers))
        or exists (select from pg_operator f join pg_operator m using (oprname)
                    where o.classid = 'pg_operator'::regclass and f.oid = o.objid and f.oprnamespace = any (names.schemas)
                      and m.oprnamespace = any (names.schemas) and m.oprowner <> all (strangers))
        or exists (select from pg_type f join path p on p.schema = f.typnamespace join path q on q.place > p.place
                     join pg_type m on m.typnamespace = q.schema and m.typname = f.typname
                    where o.classid = 'pg_type'::regclass and f.oid = o.objid and m.typowner <> all (strangers))
        or exists (select from pg_class f join path p on p.schema = f.relnamespace join path q on q.place > p.place
                     join pg_class m on m.relnamespace = q.schema and m.relname = f.relname
                    where o.classid = 'pg_class'::regclass and f.oid = o.objid and m.relowner <> all (strangers))
     union
    select case when g.oid is null then format('alter routine %s owner to %I;', d.refobjid::regprocedure, pg_get_userbyid(w.nspowner))
                else format('drop trigger %I on %s;', g.tgname, g.tgrelid::regclass) end
      from owned o
      join pg_depend d on d.refclassid = 'pg_proc'::regclass and d.refclassid = o.classid and d.refobjid = o.objid
      join pg_namespace w on w.nspname = 'usher'
      left join pg_trigger g on d.classid = 'pg_trigger'::regclass and g.oid = d.objid
      join pg_class c on c.oid = coalesce(g.tgrelid, case d.classid
           when 'pg_class'::regclass then d.objid
           when 'pg_attrdef'::regclass then (select a.adrelid from pg_attrdef a where a.oid = d.objid)
           when 'pg_constraint'::regclass then (select k.conrelid from pg_constraint k where k.oid = d.objid)
           when 'pg_policy'::regclass then (select y.polrelid from pg_policy y where y.oid = d.objid)
           when 'pg_rewrite'::regclass then (select r.ev_class from pg_rewrite r where r.oid = d.objid) end)
     where coalesce(g.tgparentid, 0) = 0 and c.relowner <> all (strangers)
$$;

-- SQL that closes the search path of actions; empty if nothing is open. An action runs as the owner, so an operator who may create where
-- it looks for names could plant a function that it calls. Every operator may ask.
create or replace function usher.open_path() returns text[]
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
    strangers constant oid[] := usher.strangers();
    remedies text[] := array(select usher.open_schemas(strangers));
begin
    -- Most operators own nothing.
    if exists (select from pg_shdepend d where d.refclassid = 'pg_authid'::regclass and d.refobjid = any (strangers) and d.deptype = 'o') then
        remedies := remedies || array(select usher.planted_objects(strangers));
    end if;
    return array(select distinct r.remedy from unnest(remedies) r (remedy) order by 1);
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
        raise exception 'no action runs, because operators can create functions on its search path'
              using errcode = 'US003', detail = E'open_path\n' || array_to_string(remedies, E'\n'),
                    hint = 'the owner or a superuser must run the listed statements first';
    end if;
end
$$;
