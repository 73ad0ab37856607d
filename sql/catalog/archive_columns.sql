-- The columns of some tables ($1) that an INSERT can set and that this role can read, and whether the role can read all such columns.
select a.attrelid as "table",
       array_agg(a.attname::text order by a.attnum) filter (where r.may) as names,
       array_agg(format_type(a.atttypid, a.atttypmod) order by a.attnum) filter (where r.may) as types,
       bool_and(r.may) as readable
  from pg_attribute a
 cross join lateral (select has_column_privilege(a.attrelid, a.attnum, 'select') as may) r
 where a.attrelid = any ($1::oid[]) and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
 group by a.attrelid
 order by a.attrelid
