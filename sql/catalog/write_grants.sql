-- What operators and everybody may write by a grant of their own, which an installation takes away as far as it may.
select c.oid::regclass::text as "table", coalesce(r.rolname, 'public') as "from",
       array_agg(distinct lower(a.privilege_type) order by lower(a.privilege_type)) as privileges
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
 cross join lateral (
       select x.grantee, x.privilege_type from aclexplode(c.relacl) x
        union
       select x.grantee, x.privilege_type
         from pg_attribute t, aclexplode(t.attacl) x
        where t.attrelid = c.oid) a
  left join pg_roles r on r.oid = a.grantee
 where c.relkind in ('r', 'p', 'v', 'f') and a.grantee <> c.relowner
   and (a.grantee = 0 or r.rolname in ('usher_support', 'usher_admin', 'usher_engineer'))
   and a.privilege_type in ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER')
 group by 1, 2
 order by 1, 2
