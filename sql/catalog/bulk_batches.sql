-- The batches that an undo of a bulk change can undo, in the order of the undo: the latest first. The id of the bulk change is between $1
-- and $2. Partly erased batches come last, because the preview reads the first batch.
select b.id::text as id, (case when b.erased is null then coalesce((b.payload ->> 'done')::bigint, 0)
             else cardinality(coalesce(b.subjects, '{}'))
                  + (select count(*) from usher.change c where c.operation = b.id and c.payload is null) end)::text as done
  from usher.operation b
 where b.parent between $1 and $2 and b.kind = 'batch' and usher.outcome(b.id) in ('committed', 'partial')
 order by b.erased is not null, b.at desc
