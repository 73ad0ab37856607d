-- The requests, the latest first. Filters: only open requests unless $1 is true, requests whose id is between two ids ($2, $3), and
-- requests about a user, by key or as the target ($5).
select o.id, o.at, o.operator, coalesce(o.payload -> 'asks' ->> 'command', case when a.request = o.id then a.command end) as command, o.payload ->> 'target' as target, r.role,
       case when r.answer is null then 'open'
            when a.kind = 'answer' then case a.command when 'request decline' then 'declined' else 'withdrawn' end
            when a.kind = 'erasure' and a.request is distinct from o.id then 'forgotten'
            else 'approved' end as state,
       o.payload ->> 'reason' as reason, o.payload ->> 'ticket' as ticket, o.payload -> 'arguments' as arguments,
       r.of_two as takes_two, a.at as answered_at, a.operator as answered_by,
       case when a.kind = 'answer' then a.payload ->> 'reason' end as because, r.answer as operation, o.app,
       o.payload -> 'preview' as preview
  from usher.request r
  join usher.operation o on o.id = r.operation
  left join usher.operation a on a.id = r.answer
 where ($1::boolean or r.answer is null)
   and ($2::uuid is null or o.id between $2::uuid and $3::uuid)
   and ($5::text[] is null or o.subjects && $5 or o.payload -> 'users' ?| $5 or lower(o.payload ->> 'target') = any ($5))
 order by o.at desc, o.id
 limit $4
