-- The columns of some tables ($1) that a row is inserted with, and whether this role may read them.
select a.attrelid as "table",
       a.attname as name,
       format_type(a.atttypid, a.atttypmod) as type,
       has_column_privilege(a.attrelid, a.attnum, 'select') as readable
  from pg_attribute a
 where a.attrelid = any ($1::oid[]) and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
 order by a.attrelid, a.attnum
