-- The environment this database declares, and what speaks for believing it; no row, or an error, means production.
select e.name,
       count(*) over () as marks,
       e.system_identifier = (select s.system_identifier from pg_control_system() s) as same_cluster,
       e.database = (select d.oid from pg_database d where d.datname = current_database()) as same_database,
       (select c.relkind = 'r' from pg_class c where c.oid = e.tableoid) as is_table,
       (select o.rolsuper or o.oid = d.datdba
          from pg_namespace n
          join pg_roles o on o.oid = n.nspowner
          join pg_database d on d.datname = current_database()
         where n.nspname = 'usher') as trusted_owner
  from usher.environment e
