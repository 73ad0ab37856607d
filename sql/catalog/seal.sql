-- Seals committed operations if there is an audit log and this role has the right to seal. The script checks the catalog first, so that no
-- statement fails.
do $$
begin
    if exists (select from pg_catalog.pg_proc f join pg_catalog.pg_namespace n on n.oid = f.pronamespace
                where n.nspname = 'usher' and f.proname = 'seal'
                  and pg_catalog.has_schema_privilege(n.oid, 'usage')
                  and pg_catalog.has_function_privilege(f.oid, 'execute')) then
        perform usher.seal();
    end if;
end
$$
