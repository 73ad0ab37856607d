-- Columns of such tables, by name.
select a.attrelid as "table", a.attname as name, a.attnum as number, format_type(a.atttypid, -1) as type,
       coalesce(nullif(a.attcollation, 0), 'pg_catalog."default"'::regcollation)::oid as "collation",
       has_column_privilege(a.attrelid, a.attnum, 'select') as readable
  from pg_attribute a
 where a.attrelid = any (array(select c.oid from pg_class c
                                where c.relname = any ($2::text[])
                                  and c.relnamespace = any (array(select n.oid from pg_namespace n where n.nspname = any ($1::text[])))))
   and a.attname = any ($3::text[]) and a.attnum > 0 and not a.attisdropped
