-- The given columns ($1 schemas, $2 tables, $3 names) that belong to a table and not to a view.
select distinct w.schema, w."table", w."column"
  from unnest($1::text[], $2::text[], $3::text[]) as w (schema, "table", "column")
  join pg_namespace n on n.nspname = w.schema
  join pg_class c on c.relnamespace = n.oid and c.relname = w."table" and c.relkind in ('r', 'p')
  join pg_attribute a on a.attrelid = c.oid and a.attname = w."column" and a.attnum > 0 and not a.attisdropped
