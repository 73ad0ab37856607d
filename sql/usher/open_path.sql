-- What keeps others from creating where acts look for names of the app: statements, none where nobody could. Acts look along
-- the search path that was recorded with each app, as it is installed or as it was last, and as the owner. Who may create there,
-- as an operator or as everybody, could plant a function that an act would call.
create or replace function usher.open_path() returns text[]
language sql stable set search_path = pg_catalog, pg_temp
as $$
    with recursive owner as (
        select u.oid, u.rolname as name from pg_namespace n join pg_roles u on u.oid = n.nspowner where n.nspname = 'usher'
    ),
    operators (oid) as (
        select r.oid from pg_roles r
         where r.rolname in ('usher_support', 'usher_admin', 'usher_engineer', 'usher_eraser', 'usher_auditor')
         union
        select m.member from operators o join pg_auth_members m on m.roleid = o.oid
    ),
    path as (
        select distinct case e.name when '$user' then w.name::text else e.name end as name
          from (select distinct on (a.app) a.definition ->> 'path' as path
                  from usher.act a
                 where a.kind = 'app'
                 order by a.app, a.retired_at desc nulls first, a.installed_at desc) a
         cross join owner w
         cross join lateral regexp_split_to_table(a.path, ',') as s (element)
         cross join lateral (
               select replace(regexp_replace(btrim(s.element), '^"(.*)"$', '\1'), '""', '"')
               ) as e (name)
         where btrim(s.element) <> ''
    ),
    open (place, name, owner, grantee) as (
        select 'schema', n.nspname, n.nspowner, x.grantee
          from path p
          join pg_namespace n on n.nspname = p.name and n.nspname !~ '^pg_'
         cross join lateral aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) x
         where x.privilege_type = 'CREATE'
         union all
        -- A schema of the path that is not there yet can be made by whoever may make one.
        select 'database', d.datname, d.datdba, x.grantee
          from pg_database d
         cross join lateral aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) x
         where d.datname = current_database() and x.privilege_type = 'CREATE'
           and exists (select from path p where not exists (select from pg_namespace n where n.nspname = p.name))
    )
    select coalesce(array_agg(distinct case o.grantee
               when o.owner then format('alter %s %I owner to %I;', o.place, o.name, w.name)
               else format('revoke create on %s %I from %s;', o.place, o.name,
                           case o.grantee when 0 then 'public' else quote_ident(pg_get_userbyid(o.grantee)) end)
               end), '{}')
      from open o, owner w
     where o.grantee = 0
        or exists (select from operators p
                     join pg_roles r on r.oid = p.oid
                    where not r.rolsuper and not pg_has_role(r.oid, w.oid, 'member') and pg_has_role(r.oid, o.grantee, 'member'))
$$;
