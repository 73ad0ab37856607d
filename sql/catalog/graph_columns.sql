-- The columns of some tables, as values travel in them.
select a.attrelid as "table",
       a.attname as name,
       format_type(coalesce(nullif(t.typbasetype, 0), t.oid), null) as type,
       format_type(a.atttypid, a.atttypmod) as full_type,
       not a.attnotnull and not t.typnotnull and a.attgenerated = '' as fillable,
       a.attgenerated <> '' as generated,
       a.attidentity = 'a' as identity,
       t.typcategory = 'S' as textual
  from pg_attribute a
  join pg_type t on t.oid = a.atttypid
 where a.attrelid = any ($1::oid[]) and a.attnum > 0 and not a.attisdropped
 order by a.attrelid, a.attnum
