-- The latest unfinished deletion of the accounts $1 from the table of users $2 in the schema $3. The query returns one row for each table
-- in which the deletion has deleted rows so far.
with unfinished as (
       select o.id
         from usher.operation o
        where o.kind = 'bulk' and o.command = 'account delete'
          and o.root = quote_ident($3) || '.' || quote_ident($2)
          and o.subjects @> $1::text[] and o.subjects <@ $1::text[]
          and usher.outcome(o.id) in ('running', 'partial')
        order by o.at desc
        limit 1
)
select u.id::text as id, substr(a.key, strpos(a.key, ' ') + 1) as "table",
       sum(case when a.value ~ '^[0-9]{1,18}$' then a.value::bigint end) as rows
  from unfinished u
  left join usher.operation b on b.parent = u.id and b.kind = 'batch' and b.outcome = 'committed'
  left join lateral jsonb_each_text(
            case jsonb_typeof(b.payload -> 'arguments') when 'object' then b.payload -> 'arguments' end) a on a.key like 'delete %'
 group by 1, 2
