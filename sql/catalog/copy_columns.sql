-- The columns of a table ($1) that can hold a copy of something: no numbers, times, words of a list, or keys. Beside each,
-- whether the role may read it.
select a.attname as name,
       has_column_privilege(a.attrelid, a.attnum, 'select') as readable
  from pg_attribute a
  join pg_type t on t.oid = a.atttypid
 where a.attrelid = $1::oid and a.attnum > 0 and not a.attisdropped
   and t.typcategory not in ('N', 'B', 'D', 'T', 'E')
   and coalesce(nullif(t.typbasetype, 0), t.oid) <> 'uuid'::regtype
 order by a.attnum
