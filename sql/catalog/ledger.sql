-- The ledger of this database, no row without one: its version, whether its owner can be believed, what the role may not do
-- with it that operators do, which roles of operators it has, and which it is a member of without having what they have. Asked
-- of the catalog, since nothing of the schema can be called before it is known to exist.
select (regexp_match(v.prosrc, '[0-9]+'))[1]::integer as version,
       o.rolsuper or o.oid = d.datdba as trusted_owner,
       array(select 'schema' where not has_schema_privilege(n.oid, 'usage')
              union all
             select w.name
               from unnest(array['attempt', 'run', 'erase']) as w (name)
              where not exists (select from pg_proc f
                                 where f.pronamespace = n.oid and f.proname = w.name and has_function_privilege(f.oid, 'execute'))
              union all
             select 'operation'
              where not exists (select from pg_class c
                                 where c.relnamespace = n.oid and c.relname = 'operation'
                                   and has_column_privilege(c.oid, 'payload', 'select'))) as withheld,
       -- As the acts judge it: who connected counts, and not whom the session plays.
       array(select w.name::text
               from unnest(array['usher_support', 'usher_admin', 'usher_engineer', 'usher_eraser']) as w (name)
              where exists (select from pg_roles s where s.rolname = session_user and s.rolsuper)
                 or pg_has_role(session_user, n.nspowner, 'usage')
                 or exists (select from pg_roles r where r.rolname = w.name and pg_has_role(session_user, r.oid, 'usage'))) as roles,
       array(select r.rolname::text
               from pg_roles r
              where r.rolname in ('usher_support', 'usher_admin', 'usher_engineer', 'usher_eraser')
                and pg_has_role(session_user, r.oid, 'member') and not pg_has_role(session_user, r.oid, 'usage')
              order by 1) as dormant
  from pg_proc v
  join pg_namespace n on n.oid = v.pronamespace
  join pg_roles o on o.oid = n.nspowner
  join pg_database d on d.datname = current_database()
 where n.nspname = 'usher' and v.proname = 'version' and v.pronargs = 0
