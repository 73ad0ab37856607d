-- The changes of an operation ($1), batch by batch; an erased change has only the id of the deletion. The query reads the batches one by
-- one, up to a limit ($2), so that it doesn't sort all changes.
select c.payload ->> 'table' as "table", c.payload -> 'key' as key, c.payload -> 'before' as before,
       c.payload -> 'after' as after, c.erased as erased_by
  from (select w.id, w.at
          from (select o.id, o.at from usher.operation o where o.id = $1
                 union all
                select o.id, o.at from usher.operation o where o.parent = $1) w
         order by w.at, w.id) p
 cross join lateral (
       select c.payload, c.erased from usher.change c where c.operation = p.id order by c.ordinal limit $2) c
 order by p.at, p.id
 limit $2
