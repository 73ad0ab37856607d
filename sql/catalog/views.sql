-- Which of some relations, by schema ($1) and name ($2), are views.
select n.nspname as schema, c.relname as view
  from unnest($1::text[], $2::text[]) w (schema, name)
  join pg_namespace n on n.nspname = w.schema
  join pg_class c on c.relnamespace = n.oid and c.relname = w.name and c.relkind = 'v'
