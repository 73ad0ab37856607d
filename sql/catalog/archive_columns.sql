-- The columns of some tables ($1) that a row is inserted with and this role may read, and whether it may read all of them.
select a.attrelid as "table",
       array_agg(a.attname::text order by a.attnum) filter (where r.may) as names,
       array_agg(format_type(a.atttypid, a.atttypmod) order by a.attnum) filter (where r.may) as types,
       bool_and(r.may) as readable
  from pg_attribute a
 cross join lateral (select has_column_privilege(a.attrelid, a.attnum, 'select') as may) r
 where a.attrelid = any ($1::oid[]) and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
 group by a.attrelid
 order by a.attrelid
