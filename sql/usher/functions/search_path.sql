-- The functions that check the search path under which the statements of an app run.

-- The schemas in which actions search for names: the search path recorded at the installation of the app.
create or replace function usher.searched_schemas() returns table (name text, place bigint)
language sql stable
as $$
    select case e.name when '$user' then current_user::text else e.name end, s.place
      from (select distinct on (a.app) a.definition ->> 'path' as path
              from usher.act a where a.kind = 'app' order by a.app, a.retired_at desc nulls first, a.installed_at desc) a
     cross join lateral regexp_split_to_table(a.path, ',') with ordinality as s (element, place)
     cross join lateral (select replace(regexp_replace(btrim(s.element), '^"(.*)"$', '\1'), '""', '"')) as e (name)
     where e.name <> ''
$$;

-- SQL that revokes CREATE from operators on the schemas in which actions search for names. If such a schema doesn't exist, an operator with
-- CREATE on the database could create it. An old snapshot can show old rights, so the query checks them again with functions that ignore
-- the snapshot, such as has_schema_privilege.
create or replace function usher.open_schemas(strangers oid[]) returns setof text
language sql stable
as $$
    select r.remedy
      from (select distinct s.name from usher.searched_schemas() s where s.name !~ '^pg_') s
      join pg_database base on base.datname = current_database()
      left join pg_namespace own on own.nspname = s.name
     cross join lateral (
           select to_regnamespace(quote_ident(s.name)) as present, coalesce(own.nspowner, base.datdba) as owner,
                  case when own.oid is null then 'database ' || quote_ident(base.datname) else 'schema ' || quote_ident(s.name) end as name,
                  case when own.oid is null then coalesce(base.datacl, acldefault('d', base.datdba))
                       else coalesce(own.nspacl, acldefault('n', own.nspowner)) end as acl) place
     cross join lateral (
           with granted as (
               select case x.grantee when place.owner then format('alter %s owner to %I;', place.name, current_user)
                                     when 0 then format('revoke create on %s from public;', place.name)
                                     else format('revoke create on %s from %I;', place.name, pg_get_userbyid(x.grantee)) end as remedy
                 from aclexplode(place.acl) x
                where x.privilege_type = 'CREATE'
                  and (x.grantee = 0 or exists (select from unnest(strangers) t (oid) where pg_has_role(t.oid, x.grantee, 'member'))))
           select g.remedy from granted g
            union all
           select format('revoke create on %s from %s;', coalesce('schema ' || place.present::text, 'database ' || quote_ident(base.datname)), t.oid::regrole)
             from unnest(strangers) t (oid)
            where not exists (select from granted)
              and case when place.present is null then has_database_privilege(t.oid, base.oid, 'create')
                       else has_schema_privilege(t.oid, place.present, 'create') end) r
$$;

-- SQL that removes objects of operators that an action might use. Such objects can hide objects of the app with the same name. A function
-- or operator can do so in any schema of the path, a table or type only in a schema before the app's schema. A function of a trigger,
-- default, constraint, index, policy or view runs as the role that writes or reads, and its owner can replace it.
create or replace function usher.planted_objects(strangers oid[]) returns setof text
language sql stable
as $$
    with path as materialized (
        select n.oid as schema, min(s.place) as place from usher.searched_schemas() s join pg_namespace n on n.nspname = s.name group by n.oid
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

-- SQL that secures the search path of actions; empty if the path is already secure. An action runs as the owner. So an operator who can
-- create objects in a schema of the path could create a function that the action calls. The function trusts superusers and roles with the
-- rights of the owner, but not other members of the operator roles, nor the connected user. Every operator can call it.
create or replace function usher.open_path() returns text[]
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
    strangers constant oid[] := array(
        with recursive operators (oid) as (
            select to_regrole(r.name)::oid
              from unnest('{usher_support,usher_admin,usher_engineer,usher_eraser,usher_auditor}'::text[] || quote_ident(session_user)) r (name)
             union
            select m.member from operators o join pg_auth_members m on m.roleid = o.oid
        )
        select o.oid from operators o where not pg_has_role(o.oid, current_user, 'member'));
    remedies text[] := '{}';
begin
    -- Most operators can't create objects and don't own any, so these checks save time. The oid 0 stands for all roles.
    if exists (select from usher.searched_schemas() s
                cross join lateral (select to_regnamespace(quote_ident(s.name)) as oid) n
                cross join unnest(strangers || 0::oid) t (oid)
                where s.name !~ '^pg_'
                  and case when n.oid is null then has_database_privilege(t.oid, current_database(), 'create')
                           else has_schema_privilege(t.oid, n.oid, 'create') end) then
        remedies := array(select usher.open_schemas(strangers));
    end if;
    if exists (select from pg_shdepend d where d.refclassid = 'pg_authid'::regclass and d.refobjid = any (strangers) and d.deptype = 'o') then
        remedies := remedies || array(select usher.planted_objects(strangers));
    end if;
    return array(select distinct r.remedy from unnest(remedies) r (remedy) order by 1);
end
$$;

-- Refuses to install or run an action if operators can create or own objects in its search path.
create or replace function usher.refuse_open_path() returns void
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
    remedies constant text[] := usher.open_path();
begin
    if remedies <> '{}' then
        raise exception 'usher can''t install or run actions, because an operator owns or can create objects in a schema of their search path'
              using errcode = 'US003', detail = E'open_path\n' || array_to_string(remedies, E'\n'),
                    hint = 'ask the owner of the database or a superuser to run the listed statements';
    end if;
end
$$;
