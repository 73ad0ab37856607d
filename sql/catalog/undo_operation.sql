-- The operation to undo, its users, and a flag for bulk changes. `again` is the action that the undo of the undo would run again; it is null
-- if the operation is itself an undo of an action. The id of the operation is between two ids ($1, $2).
select o.id::text as id, o.at, concat_ws(' ', o.command, o.payload -> 'asks' ->> 'command') as command,
       o.payload ->> 'target' as target, o.kind = 'bulk' as is_bulk,
       (with recursive origin (undoes, command, depth) as (
            select o.undoes, o.command, 0
             union all
            select p.undoes, p.command, u.depth + 1 from origin u join usher.operation p on p.id = u.undoes)
        select u.command from origin u where u.undoes is null and u.depth % 2 = 0) as again,
       -- An operation with an erased payload has its users only in the column `subjects`.
       array(select jsonb_array_elements_text(case jsonb_typeof(o.payload -> 'users') when 'array' then o.payload -> 'users' end)
              union all
             select unnest(o.subjects) where o.payload is null and o.kind <> 'bulk') as users
  from usher.operation o
 where o.id between $1 and $2
 order by o.id
 limit 11
