-- The batches that last of the bulk change whose id lies between two, the latest first, to be taken back in this order.
select b.id::text as id, jsonb_array_length(coalesce(b.payload -> 'users', '[]'))::text as users
  from usher.operation b
 where b.parent between $1 and $2 and b.kind = 'batch' and usher.outcome(b.id) in ('committed', 'partial')
 order by (b.payload ->> 'number')::bigint desc
