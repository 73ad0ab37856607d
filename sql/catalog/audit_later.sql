-- The latest operation that blocks the undo of another operation, whose id is between two ids ($1, $2). A later operation blocks the undo
-- if it changed the same row and is not undone. An undone operation and its undo don't block.
select l.id::text as id, l.command, l.operator
  from usher.operation o
  join usher.operation l on (l.subjects && o.subjects or o.subjects = '{}') and l.at > o.at and l.kind in ('change', 'batch', 'undo')
 where o.id between $1::uuid and $2::uuid
   and usher.outcome(l.id) = 'committed'
   and not exists (select from usher.operation u where u.id = l.undoes and u.at > o.at)
   and exists (select from usher.change a join usher.change b on b.payload -> 'key' = a.payload -> 'key'
                                                           and b.payload ->> 'table' = a.payload ->> 'table'
                where a.operation = o.id and b.operation = l.id)
 order by l.at desc
 limit 1
