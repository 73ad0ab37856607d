-- The secret columns ($1 schemas, $2 tables, $3 columns) that operators can read, with the grant and the statement that revokes it. The
-- grant is to an operator role, to a login role that is its member, or to everybody. The query skips erasers, because they archive whole
-- rows.
with
operators as (
    select r.oid, r.rolname as name
      from pg_roles r
     where not r.rolsuper
       and exists (select from pg_roles o
                    where o.rolname in ('usher_support', 'usher_admin', 'usher_engineer', 'usher_auditor')
                      and pg_has_role(r.oid, o.oid, 'member'))
),
held as (
    select c.oid::regclass::text as "table", a.attname as name, c.relowner as owner, g.grantee, g.is_whole
      from unnest($1::text[], $2::text[], $3::text[]) as s (schema, name, "column")
      join pg_namespace n on n.nspname = s.schema
      join pg_class c on c.relnamespace = n.oid and c.relname = s.name
      join pg_attribute a on a.attrelid = c.oid and a.attname = s."column" and a.attnum > 0 and not a.attisdropped
     cross join lateral (
           select x.grantee, true as is_whole from aclexplode(c.relacl) x where x.privilege_type = 'SELECT'
            union all
           select x.grantee, false from aclexplode(a.attacl) x where x.privilege_type = 'SELECT') g
)
select distinct on (h."table", h.name, g.name)
       o.name as role, 'secret' as kind, format('%s.%I', h."table", h.name) as name, '{}'::text[] as privileges,
       format('revoke select%s on %s from %s', case when h.is_whole then '' else format(' (%I)', h.name) end, h."table", g.name) as remedy
  from held h
 cross join lateral (select case h.grantee when 0 then 'public' else h.grantee::regrole::text end) as g (name)
  join operators o
    on case h.grantee when 0 then o.name = 'usher_support'
            else h.grantee <> h.owner and pg_has_role(o.oid, h.grantee, 'member') and not pg_has_role(o.oid, h.owner, 'member')
                 and not exists (select from pg_roles e
                                  where e.rolname = 'usher_eraser' and pg_has_role(e.oid, h.grantee, 'member')
                                    and pg_has_role(o.oid, e.oid, 'member')) end
 order by h."table", h.name, g.name, o.oid = h.grantee desc, o.name
