-- The operation to undo, its users, and whether it is a bulk change; its id lies between two.
select o.id::text as id, o.at, concat_ws(' ', o.command, o.payload -> 'asks' ->> 'command') as command,
       o.payload ->> 'target' as target, o.kind = 'bulk' as is_bulk,
       -- A partly erased operation has its users in the column only.
       array(select jsonb_array_elements_text(case jsonb_typeof(o.payload -> 'users') when 'array' then o.payload -> 'users' end)
              union all
             select unnest(o.subjects) where o.payload is null and o.kind <> 'bulk') as users
  from usher.operation o
 where o.id between $1 and $2
 order by o.id
 limit 11
