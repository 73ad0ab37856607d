-- What an operation ($1) changed, the parts of a bulk change one after the other; an erased row has its eraser only.
select c.payload ->> 'table' as "table", c.payload -> 'key' as key, c.payload -> 'before' as before,
       c.payload -> 'after' as after, c.erased as erased_by
  from usher.operation o
  join usher.change c on c.operation = o.id
 where o.id = $1 or o.parent = $1
 order by o.at, o.id, c.ordinal
 limit $2
