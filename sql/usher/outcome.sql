-- What became of an operation: a bulk change is running until its last end says otherwise, and what was done is undone
-- when a later operation that undoes it was done and is not undone itself.
create or replace function usher.outcome(operation uuid) returns text
language sql stable set search_path = pg_catalog, pg_temp
as $$
    select case
        -- Not EXISTS, which Postgres may answer by asking every operation what became of it.
        when l.outcome in ('committed', 'partial')
             and (select true from usher.operation u
                   where u.undoes = l.id and u.at > l.at and usher.outcome(u.id) = 'committed' limit 1)
        then 'undone'
        else l.outcome
        end
      from (select o.id, o.at,
                   case when o.kind <> 'bulk' or o.outcome <> 'committed' then o.outcome
                        else coalesce((select e.outcome from usher.operation e
                                        where e.parent = o.id and e.kind = 'end'
                                        order by e.at desc limit 1), 'running')
                   end as outcome
              from usher.operation o
             where o.id = $1) l
$$;
