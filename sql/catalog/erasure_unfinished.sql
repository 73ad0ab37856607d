-- The latest deletion in parts of the same accounts ($1) at the same root ($2) that stopped on the way, one row for each
-- table of which it deleted rows so far.
with unfinished as (
       select o.id
         from usher.operation o
        where o.kind = 'bulk' and o.command = 'account delete'
          and exists (select from usher.operation b
                       where b.parent = o.id and b.kind = 'batch' and b.payload ->> 'root' = $2
                         and b.payload -> 'users' = to_jsonb($1::text[]))
          and usher.outcome(o.id) in ('running', 'partial')
        order by o.at desc
        limit 1
)
select u.id::text as id, substr(a.key, length('delete ') + 1) as "table", sum(a.value::bigint) as rows
  from unfinished u
  left join usher.operation b on b.parent = u.id and b.kind = 'batch' and b.outcome = 'committed'
  left join lateral jsonb_each_text(b.payload -> 'arguments') a on a.key like 'delete %'
 group by 1, 2
