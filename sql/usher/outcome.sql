-- What became of an operation: a bulk change is running until its last end says otherwise, and what was done is undone
-- when an operation that undoes it was done and is not undone itself.
create or replace function usher.outcome(operation uuid) returns text
language sql stable set search_path = pg_catalog, pg_temp
as $$
    select case
        when l.outcome in ('committed', 'partial')
             -- As a scalar, or the planner might ask it of every operation, this one included, without an end.
             and (select coalesce(bool_or(usher.outcome(u.id) = 'committed'), false)
                    from usher.operation u where u.undoes = l.id)
        then 'undone'
        else l.outcome
        end
      from (select o.id,
                   case when o.kind <> 'bulk' or o.outcome <> 'committed' then o.outcome
                        else coalesce((select e.outcome from usher.operation e
                                        where e.parent = o.id and e.kind = 'end'
                                        order by e.at desc limit 1), 'running')
                   end as outcome
              from usher.operation o
             where o.id = $1) l
$$;
