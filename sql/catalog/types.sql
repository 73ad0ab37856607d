-- The SQL names of types, without length.
select t.oid, format_type(t.oid, -1) as name
  from pg_type t
 where t.oid = any ($1::oid[])
