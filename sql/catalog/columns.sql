-- Every column of every table that an app file could use, in the order of the table, with a flag for columns of the primary
-- key. Names with control characters are left out, because such a name would end its line in an app file.
select n.nspname as schema,
       c.relname as "table",
       greatest(c.reltuples, 0)::bigint as rows,
       a.attname as "column",
       quote_ident(n.nspname) || '.' || quote_ident(c.relname) as table_sql,
       quote_ident(a.attname) as column_sql,
       c.oid as table_oid,
       a.attnum as number,
       format_type(a.atttypid, null) as type,
       t.typcategory = 'S' as textual,
       a.attnotnull as required,
       coalesce(a.attnum = any (p.conkey), false) as in_key
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_type t on t.oid = a.atttypid
  left join pg_constraint p on p.conrelid = c.oid and p.contype = 'p'
 where c.relkind in ('r', 'p')
   and not c.relispartition
   and n.nspname not in ('information_schema', 'usher')
   and n.nspname !~ '^pg_'
   and n.nspname || c.relname || a.attname !~ '[\x01-\x1f\x7f]'
 order by 1, 2, a.attnum
