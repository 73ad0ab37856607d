-- Of some tables ($4, $5) the columns by which their rows refer to users of a table ($1, $2) with a key ($3), where the rows are
-- no users themselves.
select w.schema, w.name, array_agg(distinct a.attname) as columns
  from unnest($4::text[], $5::text[]) as w (schema, name)
  join pg_namespace n on n.nspname = w.schema
  join pg_class c on c.relnamespace = n.oid and c.relname = w.name
  join pg_namespace rn on rn.nspname = $1
  join pg_class r on r.relnamespace = rn.oid and r.relname = $2
  join pg_attribute k on k.attrelid = r.oid and k.attname = $3
  join pg_constraint f on f.contype = 'f' and f.conrelid = c.oid and f.confrelid = r.oid and f.confkey = array[k.attnum]
  join pg_attribute a on a.attrelid = c.oid and a.attnum = f.conkey[1]
 where c.oid <> r.oid
 group by 1, 2
