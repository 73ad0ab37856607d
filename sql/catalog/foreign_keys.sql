-- Every foreign key, with one row for each pair of columns that it really uses.
select c.conname as name,
       n.nspname as schema,
       t.relname as "table",
       a.attname as "column",
       m.nspname as referenced_schema,
       r.relname as referenced_table,
       b.attname as referenced_column
  from pg_constraint c
  join pg_class t on t.oid = c.conrelid
  join pg_namespace n on n.oid = t.relnamespace
  join pg_class r on r.oid = c.confrelid
  join pg_namespace m on m.oid = r.relnamespace
 cross join lateral unnest(c.conkey, c.confkey) with ordinality as k (own, other, place)
  join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.own
  join pg_attribute b on b.attrelid = c.confrelid and b.attnum = k.other
 where c.contype = 'f'
   and c.conparentid = 0
 order by 2, 3, 1, k.place
