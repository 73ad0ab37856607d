-- Of some tables ($4, $5) those whose rows are users of a table ($1, $2) with a key ($3), and the column in which they have that
-- key: it itself, and those whose own key is a foreign key to it.
select w.schema, w.name, a.attname as "column"
  from unnest($4::text[], $5::text[]) as w (schema, name)
  join pg_namespace n on n.nspname = w.schema
  join pg_class c on c.relnamespace = n.oid and c.relname = w.name
  join pg_namespace rn on rn.nspname = $1
  join pg_class r on r.relnamespace = rn.oid and r.relname = $2
  join pg_attribute k on k.attrelid = r.oid and k.attname = $3
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
 where c.oid = r.oid and a.attnum = k.attnum
    or exists (select from pg_constraint f
                 join pg_index i on i.indrelid = f.conrelid and i.indisprimary
                where f.contype = 'f' and f.conrelid = c.oid and f.confrelid = r.oid and f.confkey = array[k.attnum]
                  and i.indnkeyatts = 1 and i.indkey[0] = f.conkey[1] and a.attnum = f.conkey[1])
