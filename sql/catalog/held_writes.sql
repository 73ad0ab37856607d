-- What the roles of operators may write although they need not, and what takes that away: a grant of their own, one to
-- everybody, or one to a role that they are members of. Who may create in a schema can plant a function there that an act of
-- the owner would call.
select w.name as role, c.oid::regclass::text as name, array_agg(distinct lower(a.privilege_type)) as privileges,
       format('revoke insert, update, delete, truncate on %s from %s', c.oid::regclass,
              case a.grantee when 0 then 'public' else a.grantee::regrole::text end) as remedy
  from (values ('usher_support'), ('usher_admin'), ('usher_engineer')) as w (name)
  join pg_roles r on r.rolname = w.name
  join pg_class c on c.relkind in ('r', 'p', 'v', 'f')
  join pg_namespace n on n.oid = c.relnamespace and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
 cross join lateral (
       select x.grantee, x.privilege_type from aclexplode(c.relacl) x
        union
       select x.grantee, x.privilege_type
         from pg_attribute t, aclexplode(t.attacl) x
        where t.attrelid = c.oid) a
 where a.privilege_type in ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE')
   and (a.grantee = 0 or pg_has_role(r.oid, a.grantee, 'usage'))
   -- What the role above it has, its members need not be told again.
   and (a.grantee = 0 and w.name = 'usher_support' or a.grantee <> 0 and not exists (
        select from pg_roles b
         where b.rolname in ('usher_support', 'usher_admin') and b.rolname <> w.name and a.grantee <> r.oid
           and pg_has_role(r.oid, b.oid, 'usage') and pg_has_role(b.oid, a.grantee, 'usage')))
 group by w.name, c.oid, a.grantee
 union all
select w.name, quote_ident(n.nspname), '{}',
       format('revoke create on schema %I from %s', n.nspname,
              case a.grantee when 0 then 'public' else a.grantee::regrole::text end)
  from (values ('usher_support'), ('usher_admin'), ('usher_engineer')) as w (name)
  join pg_roles r on r.rolname = w.name
  join pg_namespace n on n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
 cross join lateral aclexplode(n.nspacl) a
 where a.privilege_type = 'CREATE'
   and (a.grantee = 0 and w.name = 'usher_support' or a.grantee = r.oid
        or a.grantee <> 0 and w.name = 'usher_support' and pg_has_role(r.oid, a.grantee, 'usage'))
 order by 4, 1
