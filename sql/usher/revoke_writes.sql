-- Revokes the operators' rights to write the tables of the app, because operators should change data only through usher. The script skips
-- rights that the connected role can't revoke. It revokes a right of PUBLIC only if no other role needs it. A role doesn't need it if the
-- role owns the table, has its own grant, or has no rights on the schema. If the app may need the right, the right stays and `usher
-- install` reports it.
do $$
declare
    held record;
begin
    for held in
        with given as materialized (
            select c.oid as relation, c.relowner as owner, c.relnamespace as schema, c.relacl as acl, a.grantee, a.privilege_type as privilege
              from pg_catalog.pg_class c
              join pg_catalog.pg_namespace n on n.oid = c.relnamespace
             cross join lateral (
                   select x.grantee, x.privilege_type from pg_catalog.aclexplode(c.relacl) x
                    union
                   select x.grantee, x.privilege_type
                     from pg_catalog.pg_attribute t, pg_catalog.aclexplode(t.attacl) x
                    where t.attrelid = c.oid) a
             where c.relkind in ('r', 'p', 'v', 'f') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
               and a.privilege_type in ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER')
        ),
        operators as materialized (
            select r.oid, r.rolname as name from pg_catalog.pg_roles r
             where r.rolname in ('usher_support', 'usher_admin', 'usher_engineer', 'usher_auditor')
        ),
        -- The roles that can connect, or to which a connected user can SET ROLE, except operators. From Postgres 16 on, the creator of a
        -- role is its member, but can SET ROLE to it only with the option SET.
        others as materialized (
            select distinct q.oid
              from pg_catalog.pg_roles r
              join pg_catalog.pg_roles q
                on pg_catalog.pg_has_role(r.oid, q.oid, case when pg_catalog.current_setting('server_version_num')::int >= 160000
                                                             then 'set' else 'member' end)
             where r.rolcanlogin and not r.rolsuper and not q.rolsuper and q.rolname !~ '^pg_'
               and pg_catalog.has_database_privilege(r.oid, pg_catalog.current_database(), 'connect')
               and q.oid not in (select o.oid from operators o)
               and (q.oid <> r.oid or not exists (select from operators o where pg_catalog.pg_has_role(r.oid, o.oid, 'member')))
        )
        select distinct g.relation::pg_catalog.regclass as relation, pg_catalog.quote_ident(o.name) as role
          from given g
          join operators o on o.oid = g.grantee and o.name <> 'usher_auditor'
         union all
        select p.relation::pg_catalog.regclass, 'public'
          from given p
         where p.grantee = 0
         group by p.relation
        having bool_and(not exists (
               select from others q
                where pg_catalog.has_schema_privilege(q.oid, p.schema, 'usage') and not pg_catalog.pg_has_role(q.oid, p.owner, 'usage')
                  and not (p.privilege in ('INSERT', 'UPDATE', 'DELETE') and pg_catalog.pg_has_role(q.oid, 'pg_write_all_data', 'usage'))
                  and not exists (select from pg_catalog.aclexplode(p.acl) x
                                   where x.grantee <> 0 and x.privilege_type = p.privilege
                                     and pg_catalog.pg_has_role(q.oid, x.grantee, 'usage'))))
    loop
        begin
            execute pg_catalog.format('revoke insert, update, delete, truncate, references, trigger on %s from %s', held.relation, held.role);
        exception when insufficient_privilege then null;
        end;
    end loop;
end
$$;
