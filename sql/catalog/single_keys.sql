-- The columns that identify rows by themselves, as their types are compared; the primary key first.
select i.indrelid as "table",
       a.attname as "column",
       format_type(coalesce(nullif(t.typbasetype, 0), t.oid), -1) as type
  from pg_index i
  join pg_class c on c.oid = i.indrelid and c.relkind in ('r', 'p') and not c.relispartition
  join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
  join pg_type t on t.oid = a.atttypid
 where i.indisunique and i.indisvalid and i.indnkeyatts = 1 and i.indpred is null and i.indkey[0] <> 0
   and c.relnamespace not in (select n.oid from pg_namespace n where n.nspname ~ '^pg_' or n.nspname = 'information_schema')
 order by i.indrelid, i.indisprimary desc, i.indkey[0]
