-- What triggers wrote during the batches of a deletion in parts ($1), and what became of it.
select w.value ->> 'table' as "table",
       r.rows,
       coalesce(w.value -> 'removed' = 'true', false) as removed,
       w.value ->> 'why' as why,
       coalesce(w.value -> 'accepted' = 'true', false) as accepted,
       coalesce(w.value -> 'changed' = 'true', false) as changed
  from usher.operation b
 cross join lateral jsonb_array_elements(case jsonb_typeof(b.payload -> 'written') when 'array' then b.payload -> 'written' end) w
 cross join lateral (select case when w.value ->> 'rows' ~ '^[0-9]{1,18}$' then (w.value ->> 'rows')::bigint end as rows) r
 where b.parent = $1::uuid and b.kind = 'batch' and b.outcome = 'committed' and b.payload ? 'written'
   -- The client of the eraser said it.
   and w.value ->> 'table' is not null and r.rows is not null
 order by b.at
