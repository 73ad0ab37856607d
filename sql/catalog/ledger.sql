-- The ledger of this database, no row without one: its version, whether its owner can be believed, whether the role may
-- write it, ask for acts, delete accounts, and read it, and which roles of operators it has. Asked of the catalog, since nothing of the
-- schema can be called before it is known to exist.
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
                  and has_column_privilege(c.oid, 'payload', 'select')) as readable,
       -- As the acts judge it: who connected counts, and not whom the session plays.
       array(select w.name::text
               from unnest(array['usher_support', 'usher_admin', 'usher_engineer', 'usher_eraser']) as w (name)
              where exists (select from pg_roles s where s.rolname = session_user and s.rolsuper)
                 or pg_has_role(session_user, n.nspowner, 'usage')
                 or exists (select from pg_roles r where r.rolname = w.name and pg_has_role(session_user, r.oid, 'usage'))) as roles
  from pg_proc v
  join pg_namespace n on n.oid = v.pronamespace
  join pg_roles o on o.oid = n.nspowner
  join pg_database d on d.datname = current_database()
 where n.nspname = 'usher' and v.proname = 'version' and v.pronargs = 0
