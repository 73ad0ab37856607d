-- Operators change nothing themselves: what earlier versions granted them for that is taken back, as far as this role may.
do $$
declare
    held record;
begin
    for held in
        select distinct c.oid::pg_catalog.regclass as relation, a.grantee::pg_catalog.regrole as role
          from pg_catalog.pg_class c
          join pg_catalog.pg_namespace n on n.oid = c.relnamespace
         cross join lateral (
               select x.grantee, x.privilege_type from pg_catalog.aclexplode(c.relacl) x
                union
               select x.grantee, x.privilege_type
                 from pg_catalog.pg_attribute t, pg_catalog.aclexplode(t.attacl) x
                where t.attrelid = c.oid) a
          join pg_catalog.pg_roles r on r.oid = a.grantee
         where c.relkind in ('r', 'p', 'v', 'f') and n.nspname !~ '^pg_'
           and r.rolname in ('usher_support', 'usher_admin', 'usher_engineer')
           and a.privilege_type in ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER')
    loop
        begin
            execute pg_catalog.format('revoke insert, update, delete, truncate, references, trigger on %s from %s', held.relation, held.role);
        exception when insufficient_privilege then null;
        end;
    end loop;
end
$$;
