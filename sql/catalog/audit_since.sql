-- What operators changed about one user, $1 or else whoever was found in this transaction, since some time ($2), the latest
-- first: what stands in the rows now and did not then.
select o.at, o.kind, o.command as title,
       concat_ws(', ', 'by ' || o.operator, o.payload ->> 'reason', o.payload ->> 'ticket', 'operation ' || left(o.id::text, 8)) as detail
  -- By the user alone: from the latest on, or since then, each would be read with all whom it is about.
  from (select s.id, s.at, s.kind, s.outcome, s.command, s.operator, s.payload
          from usher.operation s
         where s.subjects @> array[coalesce($1, nullif(current_setting('usher.user', true), ''))]
        offset 0) o
 where o.kind in ('change', 'batch', 'undo') and o.outcome = 'committed' and o.at >= $2
 order by o.at desc
 limit $3
