-- What was said as a deletion in parts ($1) began: how rows are answered for, and of which columns, and
-- which settings were made, whose values are on no record.
select a.key as about, a.value as answer
  from usher.operation o
 cross join lateral (
       -- Somebody of them may have been deleted apart meanwhile.
       select coalesce(o.payload, (select e.payload -> 'remains' -> o.id::text from usher.operation e where e.id = o.erased))
                  -> 'arguments' as arguments) p
 cross join lateral jsonb_each_text(case jsonb_typeof(p.arguments) when 'object' then p.arguments end) a
 where o.id = $1::uuid and a.value is not null and (a.key = 'shared' or a.key ~ '^(undeclared( |$)|set )')
