-- The write rights of operators that they don't need, each with the statement that revokes it. The right is a membership, or a grant to
-- an operator role, to a login role that is its member, or to everybody. With the right to create triggers, an operator could run code as
-- the owner when an action writes the table. With CREATE in a schema, an operator could add a function that an action calls as the owner.
-- The query skips the rights of erasers, who need them for deletions.
with
operators as (
    select r.oid, r.rolname as name, r.rolcreaterole as makes_roles
      from pg_roles r
     where not r.rolsuper
       and exists (select from pg_roles o
                    where o.rolname in ('usher_support', 'usher_admin', 'usher_engineer', 'usher_auditor')
                      and pg_has_role(r.oid, o.oid, 'member'))
),
held (kind, name, privilege, owner, grantee) as (
    select 'table', c.oid::regclass::text, a.privilege_type, c.relowner, a.grantee
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
     cross join lateral (
           select x.grantee, x.privilege_type from aclexplode(c.relacl) x
            union
           select x.grantee, x.privilege_type
             from pg_attribute t, aclexplode(t.attacl) x
            where t.attrelid = c.oid) a
     where c.relkind in ('r', 'p', 'v', 'f')
       and a.privilege_type in ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER')
     union all
    select 'schema', quote_ident(n.nspname), a.privilege_type, n.nspowner, a.grantee
      from pg_namespace n
     cross join lateral aclexplode(n.nspacl) a
     where n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and a.privilege_type = 'CREATE'
     union all
    select 'role', r.rolname, 'MEMBER', 10, m.member
      from pg_roles r
      join pg_auth_members m on m.roleid = r.oid
     where r.rolname in ('pg_write_all_data', 'pg_write_server_files', 'pg_execute_server_program')
     union all
    -- Before Postgres 16, CREATEROLE allowed its holder to become a member of any role except superusers.
    select 'roles', '', 'CREATEROLE', 10, o.oid
      from operators o
     where o.makes_roles and current_setting('server_version_num')::integer < 160000
)
select o.name as role, h.kind, h.name,
       case h.kind when 'table' then array_agg(distinct lower(h.privilege)) else '{}' end as privileges,
       case h.kind when 'table' then format('revoke insert, update, delete, truncate, references, trigger on %s from %s', h.name, g.name)
                   when 'schema' then format('revoke create on schema %s from %s', h.name, g.name)
                   when 'role' then format('revoke %s from %s', h.name, g.name)
                   else format('alter role %s nocreaterole', g.name) end as remedy
  from held h
 cross join lateral (select case h.grantee when 0 then 'public' else h.grantee::regrole::text end) as g (name)
  join operators o
    on case h.grantee when 0 then o.name = 'usher_support'
            -- A login role that is also the owner or an eraser needs these rights.
            else h.grantee <> h.owner and pg_has_role(o.oid, h.grantee, 'member') and not pg_has_role(o.oid, h.owner, 'member')
                 and (h.kind in ('role', 'roles')
                      or not exists (select from pg_roles e
                                      where e.rolname = 'usher_eraser' and pg_has_role(e.oid, h.grantee, 'member')
                                        and pg_has_role(o.oid, e.oid, 'member'))) end
 -- The query doesn't return the right of a role again for the members of the role.
 where h.grantee = 0 or h.grantee = o.oid
    or not exists (select from operators b
                    where b.oid <> o.oid and pg_has_role(o.oid, b.oid, 'member') and pg_has_role(b.oid, h.grantee, 'member'))
 group by o.name, h.kind, h.name, h.grantee, g.name
 order by remedy, 1
