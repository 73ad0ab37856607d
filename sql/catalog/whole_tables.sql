-- The tables of which some ($1 schemas, $2 names) are parts, in the order of those: whether they have parts, and whether an index
-- on them is for the owner of the database to make, which those of Postgres and of the ledger are not.
select p.place, n.nspname as schema, w.relname as name, w.relkind = 'p' as partitioned,
       w.oid >= 16384 and n.nspname <> 'usher' as own
  from unnest($1::text[], $2::text[]) with ordinality as p (schema, name, place)
  join pg_namespace m on m.nspname = p.schema
  join pg_class c on c.relnamespace = m.oid and c.relname = p.name
  join pg_class w on w.oid = coalesce(pg_partition_root(c.oid), c.oid)
  join pg_namespace n on n.oid = w.relnamespace
