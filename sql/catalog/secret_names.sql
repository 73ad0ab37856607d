-- The columns of some tables ($1, $2) whose names look like secrets. The name ends with a word for a secret ($3), optionally followed by a
-- word for its storage ($4), such as `hash`. The word for a secret can also be in the name of the table.
select c.oid as "table", a.attnum as number, n.nspname as schema, c.relname as name, a.attname as "column"
  from unnest($1::text[], $2::text[]) as wanted (schema, name)
  join pg_namespace n on n.nspname = wanted.schema
  join pg_class c on c.relnamespace = n.oid and c.relname = wanted.name and c.relkind in ('r', 'p', 'f')
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_type t on t.oid = a.atttypid
 where (t.typcategory = 'S' or t.typname in ('bytea', 'json', 'jsonb'))
   and lower(regexp_replace(c.relname || '_' || a.attname, '([a-z0-9])([A-Z])', '\1_\2', 'g'))
       ~ ('(^|_)(' || array_to_string($3::text[], '|') || ')s?($|_(' || array_to_string($4::text[], '|') || ')$)')
 order by 3, 4, 5
