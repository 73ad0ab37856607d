-- The names of types.
select t.oid, format_type(t.oid, null) as name
  from pg_type t
 where t.oid = any ($1::oid[])
