-- What there is by name: tables, functions and types of all schemas but Postgres' own, and the columns of some tables.
select 'table' as kind, n.nspname as schema, c.relname as name, null as "column"
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
 where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
 union all
select 'function', nullif(n.nspname, 'pg_catalog'), p.proname, null
  from pg_proc p
  join pg_namespace n on n.oid = p.pronamespace
 where n.nspname <> 'information_schema'
 union all
-- What the grammar itself reads as a function is none of the catalog.
select 'function', null, k.word, null
  from pg_get_keywords() k
 where k.catcode = 'C'
 union all
select 'type', nullif(n.nspname, 'pg_catalog'), t.typname, null
  from pg_type t
  join pg_namespace n on n.oid = t.typnamespace
 where t.typtype <> 'p' and t.typcategory <> 'A' and t.typrelid = 0 and n.nspname <> 'information_schema'
 union all
-- The names by which SQL itself calls its types.
select 'type', null, format_type(t.oid, null), null
  from pg_type t
 where t.typtype = 'b' and t.typcategory <> 'A' and t.typnamespace = 'pg_catalog'::regnamespace
 union all
select 'column', n.nspname, c.relname, a.attname
  from unnest($1::text[], $2::text[]) as wanted (schema, name)
  join pg_namespace n on n.nspname = wanted.schema
  join pg_class c on c.relnamespace = n.oid and c.relname = wanted.name
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
