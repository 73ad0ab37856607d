-- What operators did to one user ($1) since some time ($2) and until another ($4), the latest first, and what that turned the
-- answers of decisions into; the parts of a bulk change are told as the whole that they belong to.
select touched.at, o.kind,
       case o.kind when 'note' then o.payload ->> 'text'
                   when 'request' then concat_ws(' ', 'asked for:', o.payload -> 'asks' ->> 'command')
                   else o.command end as title,
       concat_ws(', ', touched.turned, case when o.kind not in ('note', 'request', 'answer') then usher.outcome(o.id) end, 'by ' || o.operator,
                 'asked for by ' || (o.payload ->> 'asked_by'), o.payload ->> 'reason', o.payload ->> 'ticket', 'operation ' || o.id) as detail
  from (select case when p.kind = 'batch' then coalesce(p.parent, p.id) else p.id end as id, max(p.at) as at,
               string_agg(t.turned, ', ' order by p.at) as turned
          from usher.operation p
          left join lateral (
               select string_agg(format('%s: %s → %s', concat_ws(' ', d.value ->> 'decision', d.value ->> 'per'),
                                        coalesce(d.value ->> 'before', 'nothing'), coalesce(d.value ->> 'after', 'nothing')), ', ' order by d.place) as turned
                 from jsonb_array_elements(p.payload -> 'decisions') with ordinality as d (value, place)
                where d.value ->> 'user' = $1) t on true
         where p.kind <> 'end' and (p.payload -> 'users' ? $1 or p.kind in ('change', 'batch', 'undo') and p.subjects @> array[$1])
           and ($2::timestamptz is null or p.at >= $2)
           and ($4::timestamptz is null or p.at < $4)
         group by 1) touched
  join usher.operation o on o.id = touched.id
 order by touched.at desc
 limit $3
