-- The columns of some tables ($1) that a row is inserted with, and whether this role may read all of them.
select a.attrelid as "table",
       array_agg(a.attname::text order by a.attnum) as names,
       array_agg(format_type(a.atttypid, a.atttypmod) order by a.attnum) as types,
       bool_and(has_column_privilege(a.attrelid, a.attnum, 'select')) as readable
  from pg_attribute a
 where a.attrelid = any ($1::oid[]) and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
 group by a.attrelid
