-- The same, one line a column.
select c.payload ->> 'table' as "table",
       (select string_agg(k.key || '=' || k.value, ', ' order by k.key) from jsonb_each_text(c.payload -> 'key') k) as key,
       v.key as "column", v.before, v.after, c.erased as erased_by
  from usher.operation o
  join usher.change c on c.operation = o.id
  left join lateral (
      select key, b.value as before, a.value as after
        from jsonb_each_text(nullif(c.payload -> 'before', 'null')) b
        full join jsonb_each_text(nullif(c.payload -> 'after', 'null')) a using (key)) v on true
 where o.id = $1 or o.parent = $1
 order by o.at, o.id, c.ordinal, v.key
 limit $2
