-- The batches of a bulk change ($1) that last, the latest first, to be taken back in this order.
select b.id::text as id, jsonb_array_length(coalesce(b.payload -> 'users', '[]'))::text as users
  from usher.operation b
 where b.parent = $1 and b.kind = 'batch' and usher.outcome(b.id) in ('committed', 'partial')
 order by (b.payload ->> 'number')::bigint desc
