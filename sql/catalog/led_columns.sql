-- Where columns lead by foreign keys and by references that an app file declares ($3, $4, $5 to $6, $7, $8), step by step,
-- each to itself first; what they are called, and whether a column makes the keys of its own table, so that they are nobody
-- else's. What the console remembers is no table of an app.
with recursive declared (relation, attribute, to_relation, to_attribute) as (
    select f.attrelid, f.attnum, t.attrelid, t.attnum
      from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
           as d (schema, "table", "column", to_schema, to_table, to_column)
      join pg_namespace fn on fn.nspname = d.schema
      join pg_class fc on fc.relnamespace = fn.oid and fc.relname = d."table"
      join pg_attribute f on f.attrelid = fc.oid and f.attname = d."column"
      join pg_namespace tn on tn.nspname = d.to_schema
      join pg_class tc on tc.relnamespace = tn.oid and tc.relname = d.to_table
      join pg_attribute t on t.attrelid = tc.oid and t.attname = d.to_column
), link (relation, attribute, to_relation, to_attribute) as (
    select c.conrelid, k.attribute, c.confrelid, k.refers_to
      from pg_constraint c
     cross join lateral unnest(c.conkey, c.confkey) as k (attribute, refers_to)
     where c.contype = 'f'
     union all
    select d.relation, d.attribute, d.to_relation, d.to_attribute from declared d
), led (relation, attribute, to_relation, to_attribute) as (
    select w.relation, w.attribute, w.relation, w.attribute
      from unnest($1::oid[], $2::smallint[]) as w (relation, attribute)
     union
    select l.relation, l.attribute, k.to_relation, k.to_attribute
      from led l
      join link k on k.relation = l.to_relation and k.attribute = l.to_attribute
)
select l.relation, l.attribute, l.to_relation, l.to_attribute, n.nspname as schema, c.relname as "table", a.attname as "column",
       a.attidentity <> '' or (a.atthasdef and a.attgenerated = '' and exists (
           select from pg_index i where i.indrelid = a.attrelid and i.indisprimary and i.indkey::text = a.attnum::text)) as makes,
       exists (select from pg_constraint r
                where r.contype = 'f' and r.confrelid = a.attrelid and a.attnum = any(r.confkey)) as is_led_to
  from led l
  join pg_class c on c.oid = l.to_relation and c.relkind in ('r', 'p', 'f')
  join pg_namespace n on n.oid = c.relnamespace and n.nspname <> 'usher'
  join pg_attribute a on a.attrelid = c.oid and a.attnum = l.to_attribute
