-- Of some tables ($4, $5) the columns in which their rows name users of a table ($1, $2) with a key ($3): the one with the key of
-- users where the rows are those, by their own key or by a foreign key that it is; else all that refer to users.
select w.schema, w.name, coalesce(h.columns, f.columns) as columns, h.columns is not null as holds_users
  from unnest($4::text[], $5::text[]) as w (schema, name)
  join pg_namespace n on n.nspname = w.schema
  join pg_class c on c.relnamespace = n.oid and c.relname = w.name
  join pg_namespace rn on rn.nspname = $1
  join pg_class r on r.relnamespace = rn.oid and r.relname = $2
  join pg_attribute k on k.attrelid = r.oid and k.attname = $3
  left join lateral (
       select array_agg(distinct a.attname) as columns
         from pg_constraint f
         join pg_attribute a on a.attrelid = f.conrelid and a.attnum = f.conkey[1]
        where f.contype = 'f' and f.conrelid = c.oid and f.confrelid = r.oid and f.confkey = array[k.attnum]) f on true
  left join lateral (
       select array[a.attname] as columns
         from pg_attribute a
         left join pg_index i on i.indrelid = c.oid and i.indisprimary
        where a.attrelid = c.oid
          and (c.oid = r.oid and a.attnum = k.attnum
               or a.attname = any (f.columns) and i.indnkeyatts = 1 and i.indkey[0] = a.attnum)
        order by c.oid = r.oid and a.attnum = k.attnum desc
        limit 1) h on true
 where coalesce(h.columns, f.columns) is not null
