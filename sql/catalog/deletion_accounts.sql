-- The accounts of a deletion in batches ($1) and the time of its last step; `open` is true if the deletion is unfinished.
select s.is_open as open, o.subjects as accounts,
       greatest(o.at, (select max(p.at) from usher.operation p where p.parent = o.id)) as ended
  from usher.operation o
 cross join lateral (select o.kind = 'bulk' and o.command = 'account delete' and o.subjects is not null
                            and usher.outcome(o.id) in ('running', 'partial') as is_open) s
 where o.id = $1::uuid
