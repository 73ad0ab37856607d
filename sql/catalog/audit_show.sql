-- The operations whose id is between two ids ($1, $2). For a complete id or an unambiguous prefix, there is only one.
select o.id, o.at, o.operator, o.kind, concat_ws(' ', o.command, o.payload -> 'asks' ->> 'command') as command, o.app, p.said ->> 'target' as target,
       usher.outcome(o.id) as outcome, p.said ->> 'reason' as reason, p.said ->> 'ticket' as ticket,
       o.payload ->> 'because' as because, o.payload ->> 'hint' as hint, o.payload -> 'users' as users,
       p.said -> 'arguments' as arguments, o.request, o.payload ->> 'asked_by' as asked_by,
       o.payload ->> 'text' as text, o.parent, o.undoes,
       (select u.id from usher.operation u
         where u.undoes = o.id and usher.outcome(u.id) = 'committed'
         order by u.at desc limit 1) as undone_by,
       o.erased as erased_by,
       (select s.seal from usher.sealed s where s.operation = o.id) as seal,
       -- The number of changes of a bulk change is in the record of its end, else in its sealed batches. For unsealed batches, the query
       -- counts the changes.
       coalesce(
           (select case when jsonb_typeof(e.payload -> 'changed') = 'number' then (e.payload ->> 'changed')::numeric::bigint end
              from usher.operation e
             where e.parent = o.id and e.kind = 'end'
             order by e.at desc limit 1),
           (select sum(coalesce(s.changes, (select count(*) from usher.change c where c.operation = p.id)))::bigint
              from (select o.id union all select b.id from usher.operation b where b.parent = o.id) p
              left join usher.sealed s on s.operation = p.id))
         as total
  from usher.operation o
 cross join lateral (select coalesce(o.payload, (select e.payload -> 'remains' -> o.id::text
                                                   from usher.operation e where e.id = o.erased))) p (said)
 where o.id between $1 and $2
 order by o.id
 limit 11
