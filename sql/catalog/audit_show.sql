-- Operations whose id lies between two: one, when an id or an unambiguous beginning of it was given.
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
       (select count(*) from usher.change c
         where c.operation = any (array(select o.id union all select b.id from usher.operation b where b.parent = o.id)))
         as total
  from usher.operation o
 cross join lateral (select coalesce(o.payload, (select e.payload -> 'remains' -> o.id::text
                                                   from usher.operation e where e.id = o.erased))) p (said)
 where o.id between $1 and $2
 order by o.id
 limit 11
