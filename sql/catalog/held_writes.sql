-- What operators may write although they need not, and what takes that away: a grant to a role of theirs or to a person who is
-- in one, one to everybody, or one to a role that they are members of. Who may create in a schema can plant a function there
-- that an act of the owner would call. Whoever deletes accounts writes, by a role of its own.
with
operators as (
    select r.oid, r.rolname as name
      from pg_roles r
     where not r.rolsuper
       and exists (select from pg_roles o
                    where o.rolname in ('usher_support', 'usher_admin', 'usher_engineer') and pg_has_role(r.oid, o.oid, 'member'))
),
held (name, privilege, owner, grantee, is_schema) as (
    select c.oid::regclass::text, a.privilege_type, c.relowner, a.grantee, false
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
     cross join lateral (
           select x.grantee, x.privilege_type from aclexplode(c.relacl) x
            union
           select x.grantee, x.privilege_type
             from pg_attribute t, aclexplode(t.attacl) x
            where t.attrelid = c.oid) a
     where c.relkind in ('r', 'p', 'v', 'f') and a.privilege_type in ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE')
     union all
    select quote_ident(n.nspname), a.privilege_type, n.nspowner, a.grantee, true
      from pg_namespace n
     cross join lateral aclexplode(n.nspacl) a
     where n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and a.privilege_type = 'CREATE'
)
select o.name as role, h.name,
       case when h.is_schema then '{}' else array_agg(distinct lower(h.privilege)) end as privileges,
       format(case when h.is_schema then 'revoke create on schema %s from %s'
                   else 'revoke insert, update, delete, truncate on %s from %s' end,
              h.name, case h.grantee when 0 then 'public' else h.grantee::regrole::text end) as remedy
  from held h
  join operators o
    on case h.grantee when 0 then o.name = 'usher_support'
            -- A person may be more than an operator: who is the owner, or deletes, has what that takes.
            else h.grantee <> h.owner and pg_has_role(o.oid, h.grantee, 'member') and not pg_has_role(o.oid, h.owner, 'member')
                 and not exists (select from pg_roles e
                                  where e.rolname = 'usher_eraser' and pg_has_role(e.oid, h.grantee, 'member')
                                    and pg_has_role(o.oid, e.oid, 'member')) end
 -- What the role above has, its members need not be told again.
 where h.grantee = 0 or h.grantee = o.oid
    or not exists (select from operators b
                    where b.oid <> o.oid and pg_has_role(o.oid, b.oid, 'member') and pg_has_role(b.oid, h.grantee, 'member'))
 group by o.name, h.name, h.grantee, h.is_schema
 order by 4, 1
