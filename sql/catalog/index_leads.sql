-- Which columns, by the numbers of tables and of their columns, have few values and may be read.
select a.attrelid as "table", a.attnum as number, a.attname as name
  from unnest($1::oid[], $2::int2[]) as w (oid, number)
  join pg_attribute a on a.attrelid = w.oid and a.attnum = w.number
  join pg_class c on c.oid = w.oid
  join pg_namespace n on n.oid = c.relnamespace
 where has_column_privilege(a.attrelid, a.attnum, 'select')
   and (select bool_and(s.n_distinct between 0 and 100) from pg_stats s
         where s.schemaname = n.nspname and s.tablename = c.relname and s.attname = a.attname)
