-- The same, one line a column, with the type that the column has now, NULL where it is gone.
select c.payload ->> 'table' as "table",
       (select string_agg(k.key || '=' || k.value, ', ' order by k.key) from jsonb_each_text(c.payload -> 'key') k) as key,
       v.key as "column", v.before, v.after,
       (select a.atttypid from pg_attribute a where a.attrelid = t.oid and a.attname = v.key)::text as type_oid,
       c.erased as erased_by
  from usher.operation o
  join usher.change c on c.operation = o.id
  left join lateral (
      select key, b.value as before, a.value as after
        from jsonb_each_text(nullif(c.payload -> 'before', 'null')) b
        full join jsonb_each_text(nullif(c.payload -> 'after', 'null')) a using (key)) v on true
  left join (select r.oid, n.nspname || '.' || r.relname as name
               from pg_class r join pg_namespace n on n.oid = r.relnamespace) t on t.name = c.payload ->> 'table'
 where o.id = $1 or o.parent = $1
 order by o.at, o.id, c.ordinal, v.key
 limit $2
