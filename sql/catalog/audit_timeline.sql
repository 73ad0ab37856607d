-- The operations on one user ($1) since a time ($2) and before another time ($4), the latest first, with the decisions that they changed.
-- The query returns the bulk change instead of its batches. A batch that ran as one statement records only the decisions of `@expect`, and
-- only their new outcomes. Then the query returns `not recorded` as the earlier outcome. The ids have eight characters, which every command accepts.
select touched.at, o.kind,
       case o.kind when 'note' then s.text
                   when 'request' then concat_ws(' ', 'requested:', s.asks ->> 'command')
                   else o.command end as title,
       concat_ws(', ', touched.turned, 'not recorded for: ' || touched.unasked,
                 case when o.kind not in ('note', 'request', 'answer') then usher.outcome(o.id) end, 'by ' || o.operator,
                 'requested by ' || s.asked_by, s.reason, s.ticket, 'operation ' || left(o.id::text, 8)) as detail
  from (select case when p.kind = 'batch' then coalesce(p.parent, p.id) else p.id end as id, max(p.at) as at,
               string_agg(t.turned, ', ' order by p.at) as turned,
               (array_agg((select string_agg(n.name, ' and ' order by n.place)
                             from jsonb_array_elements_text(r.unasked) with ordinality as n (name, place))
                          order by p.at desc))[1] as unasked
          -- Each of the two conditions uses its own index. Reading by time would read all users of each operation.
          from (select s.id, s.at, s.kind, s.parent, s.payload
                  from (select s.id, s.at, s.kind, s.parent, s.payload from usher.operation s where s.subjects @> array[$1] offset 0) s
                 where s.kind in ('change', 'batch', 'undo', 'note', 'request', 'answer')
                 union all
                -- An attempt changes no decision, and usher didn't check the contents of its record.
                select e.id, e.at, e.kind, e.parent, case when e.outcome in ('committed', 'partial') then e.payload else '{}' end
                  from (select e.id, e.at, e.kind, e.parent, e.outcome, e.payload from usher.operation e
                         where e.subjects is null and e.payload ? 'users' and e.payload -> 'users' ? $1 offset 0) e) p
         -- The query parses the payload only once, because it may contain thousands of other users.
         cross join lateral jsonb_to_record(p.payload) as r (decisions jsonb, answered jsonb, unasked jsonb)
          left join lateral (
               select string_agg(format('%s: %s -> %s', concat_ws(' ', d.value ->> 'decision', d.value ->> 'per'),
                                        coalesce(d.value ->> 'before', 'nothing'), coalesce(d.value ->> 'after', 'nothing')), ', ' order by d.place) as turned
                 from jsonb_array_elements(r.decisions) with ordinality as d (value, place)
                where d.value ->> 'user' = $1
                union all
               select string_agg(format('%s: not recorded -> %s', a.value ->> 'decision',
                                        (select string_agg(o.name, ' or ' order by o.place)
                                           from jsonb_array_elements_text(a.value -> 'outcomes') with ordinality as o (name, place))),
                                 ', ' order by a.place)
                 from jsonb_array_elements(r.answered) with ordinality as a (value, place)) t on t.turned is not null
         where p.kind <> 'end'
           and ($2::timestamptz is null or p.at >= $2)
           and ($4::timestamptz is null or p.at < $4)
         group by 1) touched
 cross join lateral (select o.id, o.kind, o.command, o.operator, o.payload from usher.operation o where o.id = touched.id offset 0) o
 cross join lateral jsonb_to_record(o.payload) as s (text text, asks jsonb, asked_by text, reason text, ticket text)
 order by touched.at desc
 limit $3
