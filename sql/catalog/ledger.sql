-- The ledger of this database, no row without one: its version, whether its owner can be believed, and whether the role
-- may write it, ask for acts, delete accounts, and read it. Asked of the catalog, since nothing of the schema can be called before it is
-- known to exist.
select (regexp_match(v.prosrc, '[0-9]+'))[1]::integer as version,
       o.rolsuper or o.oid = d.datdba as trusted_owner,
       exists (select from pg_proc f
                where f.pronamespace = n.oid and f.proname = 'attempt' and has_function_privilege(f.oid, 'execute')) as writable,
       exists (select from pg_proc f
                where f.pronamespace = n.oid and f.proname = 'run' and has_function_privilege(f.oid, 'execute')) as acting,
       exists (select from pg_proc f
                where f.pronamespace = n.oid and f.proname = 'erase' and has_function_privilege(f.oid, 'execute')) as erasing,
       exists (select from pg_class c
                where c.relnamespace = n.oid and c.relname = 'operation'
                  and has_column_privilege(c.oid, 'payload', 'select')) as readable
  from pg_proc v
  join pg_namespace n on n.oid = v.pronamespace
  join pg_roles o on o.oid = n.nspowner
  join pg_database d on d.datname = current_database()
 where n.nspname = 'usher' and v.proname = 'version' and v.pronargs = 0
