-- The operation to undo, its users, and a flag for bulk changes. The id of the operation is between two ids ($1, $2).
select o.id::text as id, o.at, concat_ws(' ', o.command, o.payload -> 'asks' ->> 'command') as command,
       o.payload ->> 'target' as target, o.kind = 'bulk' as is_bulk,
       -- An operation with an erased payload has its users only in the column `subjects`.
       array(select jsonb_array_elements_text(case jsonb_typeof(o.payload -> 'users') when 'array' then o.payload -> 'users' end)
              union all
             select unnest(o.subjects) where o.payload is null and o.kind <> 'bulk') as users
  from usher.operation o
 where o.id between $1 and $2
 order by o.id
 limit 11
