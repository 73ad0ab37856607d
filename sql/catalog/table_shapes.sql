-- How rows of some tables are told apart, read and written back: the key (the primary one, else a unique one that is
-- never NULL), and every column in order.
select c.oid::text as oid,
       n.nspname as schema,
       c.relname as "table",
       quote_ident(n.nspname) || '.' || quote_ident(c.relname) as table_sql,
       c.relpersistence = 't' as temporary,
       has_table_privilege(c.oid, 'update') or has_any_column_privilege(c.oid, 'update') as lockable,
       a.attname as "column",
       quote_ident(a.attname) as column_sql,
       format_type(a.atttypid, a.atttypmod) as type,
       a.atttypid = 'json'::regtype as json,
       a.attgenerated <> '' as generated,
       a.attidentity = 'a' as identity,
       coalesce(a.attnum = any (k.indkey::int2[]), false) as in_key
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join lateral (
       select i.indkey
         from pg_index i
        where i.indrelid = c.oid and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null
          and not exists (select from pg_attribute b
                           where b.attrelid = c.oid and b.attnum = any (i.indkey::int2[]) and not b.attnotnull)
        order by i.indisprimary desc, i.indnatts, i.indexrelid
        limit 1) k on true
 where c.oid = any ($1::oid[])
 order by c.oid, a.attnum
