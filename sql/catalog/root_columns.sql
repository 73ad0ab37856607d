-- The columns of a table, and whether one alone identifies a row.
select a.attname as name,
       format_type(coalesce(nullif(t.typbasetype, 0), t.oid), null) as type,
       exists (select from pg_index i
                where i.indrelid = a.attrelid and i.indisunique and i.indisvalid and i.indpred is null
                  and i.indexprs is null and i.indnkeyatts = 1 and i.indkey[0] = a.attnum) as "unique",
       exists (select from pg_index i
                where i.indrelid = a.attrelid and i.indisprimary
                  and i.indnkeyatts = 1 and i.indkey[0] = a.attnum) as "primary"
  from pg_attribute a
  join pg_type t on t.oid = a.atttypid
 where a.attrelid = $1::oid and a.attnum > 0 and not a.attisdropped
 order by a.attnum
