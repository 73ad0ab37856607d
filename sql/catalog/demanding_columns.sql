-- The columns of some tables in their order: which must hold something, which hold something by themselves, and whether a
-- trigger may see to it before a row is written. What the console remembers is no table of an app.
select n.nspname as schema, c.relname as name, a.attname as "column", a.attnotnull or t.typnotnull as demands,
       a.atthasdef or a.attidentity <> '' or t.typdefault is not null as holds,
       exists (select from pg_trigger g
                where g.tgrelid = c.oid and g.tgenabled <> 'D' and g.tgtype & 7 = 7) as is_made_ready,
       exists (select from pg_trigger g
                where g.tgrelid = c.oid and g.tgenabled <> 'D' and g.tgtype & 19 = 19) as is_kept_ready
  from unnest($1::text[], $2::text[]) as wanted (schema, name)
  join pg_namespace n on n.nspname = wanted.schema and n.nspname <> 'usher'
  join pg_class c on c.relnamespace = n.oid and c.relname = wanted.name and c.relkind in ('r', 'p')
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_type t on t.oid = a.atttypid
 order by 1, 2, a.attnum
