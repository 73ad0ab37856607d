-- The latest operations, filtered by time (since $1, before $5), by operator ($2), and by a user as key or target ($3), up to a limit ($4).
-- If only a batch or a step of a deletion has the user, the query returns the whole bulk change or deletion.
select o.id, o.at, o.operator, concat_ws(' ', o.command, o.payload -> 'asks' ->> 'command') as command, p.said ->> 'target' as target, usher.outcome(o.id) as outcome,
       p.said ->> 'reason' as reason, p.said ->> 'ticket' as ticket,
       -- The number of changes of a bulk change is in the record of its end, else in its sealed batches. For unsealed batches, the query
       -- counts the changes.
       coalesce(
           (select case when jsonb_typeof(e.payload -> 'changed') = 'number' then (e.payload ->> 'changed')::numeric::bigint end
              from usher.operation e
             where e.parent = o.id and e.kind = 'end'
             order by e.at desc limit 1),
           (select sum(coalesce(s.changes, (select count(*) from usher.change c where c.operation = p.id)))::bigint
              from (select o.id union all select b.id from usher.operation b where b.parent = o.id) p
              left join usher.sealed s on s.operation = p.id)) as changes,
       o.erased as erased_by
  from usher.operation o
  -- If users of an operation were deleted, the record of the deletion has the remaining texts.
 cross join lateral (select coalesce(o.payload, (select e.payload -> 'remains' -> o.id::text
                                                   from usher.operation e where e.id = o.erased))) p (said)
 where o.kind not in ('batch', 'end')
   and (o.kind <> 'erasure' or o.parent is null)
   and ($1::timestamptz is null or o.at >= $1)
   and ($5::timestamptz is null or o.at < $5)
   and ($2::text is null or o.operator = $2)
   and ($3::text[] is null
        -- Each of the three conditions uses its own index.
        or o.id = any (array(
               select unnest(array[t.id, t.parent])
                 from (select s.id, s.parent from usher.operation s where s.subjects && $3
                        union all
                       select e.id, e.parent from usher.operation e
                        where e.subjects is null and e.payload ? 'users' and e.payload -> 'users' ?| $3
                        union all
                       select n.id, n.parent from unnest($3) as called (name)
                         join usher.operation n on n.payload ? 'target' and lower(n.payload ->> 'target') = called.name) t)))
 order by o.at desc, o.id
 limit $4
