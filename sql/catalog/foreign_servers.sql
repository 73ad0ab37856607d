-- Of each server that tables of this database lie on, one table that this role may read.
select distinct on (s.oid) s.srvname as server, format('%I.%I', n.nspname, c.relname) as path
  from pg_foreign_table f
  join pg_foreign_server s on s.oid = f.ftserver
  join pg_class c on c.oid = f.ftrelid
  join pg_namespace n on n.oid = c.relnamespace
 where has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select')
 order by s.oid, c.oid;
