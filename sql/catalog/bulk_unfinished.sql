-- The latest bulk change with the same input ($1) that nobody finished.
select o.id::text as id, o.operator, o.at
  from usher.operation o
 where o.kind = 'bulk' and o.payload ->> 'input' = $1 and usher.outcome(o.id) = 'running'
 order by o.at desc
 limit 1
