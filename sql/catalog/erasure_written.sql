-- What triggers wrote during the batches of a deletion in parts ($1), and what became of it.
select w.value ->> 'table' as "table",
       (w.value ->> 'rows')::bigint as rows,
       (w.value ->> 'removed')::boolean as removed,
       w.value ->> 'because' as because,
       w.value ->> 'why' as why,
       (w.value ->> 'accepted')::boolean as accepted,
       coalesce((w.value ->> 'changed')::boolean, false) as changed
  from usher.operation b
 cross join lateral jsonb_array_elements(b.payload -> 'written') w
 where b.parent = $1::uuid and b.kind = 'batch' and b.outcome = 'committed' and b.payload ? 'written'
 order by b.at
