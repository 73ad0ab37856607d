-- The files that deletions, or one of them ($1), left to the store, until somebody recorded that they are gone.
select o.id::text as id, o.parent::text as deletion, f ->> 'bucket' as bucket, f ->> 'path' as path, f ->> 'bytes' as bytes
  from usher.operation o
 cross join lateral jsonb_array_elements(case jsonb_typeof(o.payload -> 'files') when 'array' then o.payload -> 'files' end) as f
 where f ->> 'bucket' is not null and f ->> 'path' is not null and f ->> 'bytes' ~ '^[0-9]{1,18}$'
   and ($1::uuid is null or o.parent = $1) and o.kind = 'batch' and o.command = 'account delete files'
 order by o.at, o.id, 3, 4
