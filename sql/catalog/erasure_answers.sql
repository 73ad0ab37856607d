-- What was answered as a deletion in parts ($1) began: how, and for which columns.
select a.key as about, a.value as answer
  from usher.operation o
 cross join lateral jsonb_each_text(o.payload -> 'arguments') a
 where o.id = $1::uuid and a.value is not null and (a.key = 'collateral' or a.key ~ '^suspected( |$)')
