-- The columns that stand first in an index of such tables, in front of an expression, that have few values and may be read.
select distinct a.attrelid as "table", a.attnum as number, a.attname as name
  from pg_index i
  join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
  join pg_class c on c.oid = a.attrelid
  join pg_namespace n on n.oid = c.relnamespace
 where c.relname = any ($2::text[]) and n.nspname = any ($1::text[])
   and i.indisvalid and i.indnkeyatts > 1 and i.indkey[1] = 0
   and has_column_privilege(a.attrelid, a.attnum, 'select')
   and (select bool_and(s.n_distinct between 0 and 100) from pg_stats s
         where s.schemaname = n.nspname and s.tablename = c.relname and s.attname = a.attname)
