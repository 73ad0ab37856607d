-- How far a bulk change ($1) came: the instant it decides for, and where its last batch ended. The number of a batch that
-- was lost on its way is taken all the same.
select o.command, o.payload ->> 'input' as input, o.payload ->> 'now' as now, usher.outcome(o.id) as outcome,
       (o.payload ->> 'total')::bigint as total, b.cursor, coalesce(b.number, 0) as number, coalesce(b.done, 0) as done,
       coalesce(b.refused, 0) as refused, coalesce(b.changes, 0) as changes, coalesce(b.undone, 0) as undone
  from usher.operation o
  left join lateral (
       select (array_agg(b.payload ->> 'cursor' order by (b.payload ->> 'number')::bigint desc)
                   filter (where b.outcome <> 'lost'))[1] as cursor,
              max((b.payload ->> 'number')::bigint) as number,
              sum((b.payload ->> 'done')::bigint) filter (where b.outcome <> 'lost') as done,
              sum((b.payload ->> 'refused')::bigint) filter (where b.outcome <> 'lost') as refused,
              sum((select count(*) from usher.change c where c.operation = b.id)) as changes,
              count(*) filter (where usher.outcome(b.id) = 'undone') as undone
         from usher.operation b
        where b.parent = o.id and b.kind = 'batch') b on true
 where o.id = $1 and o.kind = 'bulk'
