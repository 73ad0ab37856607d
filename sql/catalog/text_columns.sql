-- The columns of texts and of bytes in some tables ($1, $2) that are no part of a primary or foreign key, where this role may read
-- the table, and a question for what stands in the first pages of it, at most 200 rows.
with texts as (
       select c.oid as "table", a.attnum as number, n.nspname as schema, c.relname as name, a.attname as "column",
              case when b.typname = 'bytea' then 'encode(%s, ''hex'')' else '%s::text' end as shown
         from unnest($1::text[], $2::text[]) as wanted (schema, name)
         join pg_namespace n on n.nspname = wanted.schema and has_schema_privilege(n.oid, 'usage')
         join pg_class c on c.relnamespace = n.oid and c.relname = wanted.name and c.relkind in ('r', 'p', 'm')
          and has_table_privilege(c.oid, 'select')
         join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
         join pg_type t on t.oid = a.atttypid
         join pg_type b on b.oid = case when t.typtype = 'd' then t.typbasetype else t.oid end
        where (b.typcategory = 'S' or b.typname = 'bytea' and b.typnamespace = 'pg_catalog'::regnamespace)
          and not exists (select from pg_constraint k
                           where k.conrelid = c.oid and k.contype in ('p', 'f') and a.attnum = any (k.conkey))
)
select t."table", t.number, t.schema, t.name, t."column",
       format('select s.attribute, s.value from (select t.* from %I.%I t where t.ctid < ''(32,0)'' limit 200) t'
              || ' cross join lateral (values %s) as s (attribute, value)',
              t.schema, t.name,
              string_agg(format('(%s, left(%s, 1000))', t.number, format(t.shown, 't.' || quote_ident(t."column"))), ', ')
                  over (partition by t."table")) as sample
  from texts t
 order by t."table", t.number
