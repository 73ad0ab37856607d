-- Acts look for names of the app along the search path that was recorded with them. Who may create there could plant a
-- function that they would call as the owner, so nothing is installed while an operator may, or everybody.
do $$
declare
    remedies jsonb;
begin
    with path as (
        select distinct case e.name when '$user' then current_user::text else e.name end as name
          from usher.act a
         cross join lateral pg_catalog.regexp_split_to_table(a.definition ->> 'path', ',') as s (element)
         cross join lateral (
               select pg_catalog.replace(pg_catalog.regexp_replace(pg_catalog.btrim(s.element), '^"(.*)"$', '\1'), '""', '"')
               ) as e (name)
         where a.kind = 'app' and a.retired_at is null and pg_catalog.btrim(s.element) <> ''
    ),
    open (place, name, owner, grantee) as (
        select 'schema', n.nspname, n.nspowner, x.grantee
          from path p
          join pg_catalog.pg_namespace n on n.nspname = p.name and n.nspname !~ '^pg_'
         cross join lateral pg_catalog.aclexplode(coalesce(n.nspacl, pg_catalog.acldefault('n', n.nspowner))) x
         where x.privilege_type = 'CREATE'
         union all
        -- A schema of the path that is not there yet can be made by whoever may make one.
        select 'database', d.datname, d.datdba, x.grantee
          from pg_catalog.pg_database d
         cross join lateral pg_catalog.aclexplode(coalesce(d.datacl, pg_catalog.acldefault('d', d.datdba))) x
         where d.datname = pg_catalog.current_database() and x.privilege_type = 'CREATE'
           and exists (select from path p
                        where not exists (select from pg_catalog.pg_namespace n where n.nspname = p.name))
    )
    select pg_catalog.jsonb_agg(distinct case o.grantee
               when o.owner then pg_catalog.format('alter %s %I owner to %I;', o.place, o.name, current_user)
               else pg_catalog.format('revoke create on %s %I from %s;', o.place, o.name,
                                      case o.grantee when 0 then 'public' else pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(o.grantee)) end)
               end)
      into remedies
      from open o
     where o.grantee = 0
        or exists (select from pg_catalog.pg_roles r
                    where not r.rolsuper and not pg_catalog.pg_has_role(r.oid, (select u.oid from pg_catalog.pg_roles u where u.rolname = current_user), 'member')
                      and pg_catalog.pg_has_role(r.oid, o.grantee, 'member')
                      and exists (select from pg_catalog.pg_roles u
                                   where u.rolname in ('usher_support', 'usher_admin', 'usher_engineer', 'usher_eraser', 'usher_auditor')
                                     and pg_catalog.pg_has_role(r.oid, u.oid, 'member')));
    if remedies is not null then
        raise exception 'operators may create functions where acts would find them before those of the app'
              using errcode = 'US003', detail = pg_catalog.jsonb_build_object('refusal', 'open_path', 'remedies', remedies)::text,
                    hint = (select pg_catalog.string_agg(r.line, E'\n') from pg_catalog.jsonb_array_elements_text(remedies) as r (line));
    end if;
end
$$;
