-- Tests if this server is a standby, which can't commit, and if it has the functions to find the outcome of an operation.
select pg_catalog.pg_is_in_recovery() as standby,
       exists (select from pg_catalog.pg_proc f join pg_catalog.pg_namespace n on n.oid = f.pronamespace
                where n.nspname = 'usher' and f.proname = 'attempt') as has_ledger
