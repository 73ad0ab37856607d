-- Seals what is committed, where there is a ledger and this role may: asked of the catalog, so that nothing fails.
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
