-- What became of an operation: a bulk change is running until its last end says otherwise, and undone when all its
-- batches are; what was done otherwise is undone when a later operation that undoes it was done as a whole and is not undone itself.
create or replace function usher.outcome(operation uuid) returns text
language sql stable set search_path = pg_catalog, pg_temp
as $$
    select case
        when l.outcome not in ('committed', 'partial', 'running') then l.outcome
        -- Not EXISTS, which Postgres may answer by asking every operation what became of it.
        when l.kind = 'bulk'
        then case when (select true from usher.operation b
                         where b.parent = l.id and b.kind = 'batch' and b.outcome in ('committed', 'partial') limit 1)
                   and (select true from usher.operation b
                         where b.parent = l.id and b.kind = 'batch' and b.outcome in ('committed', 'partial')
                           and usher.outcome(b.id) <> 'undone' limit 1) is null
                  then 'undone' else l.outcome end
        when (select true from usher.operation u
               where u.undoes = l.id and u.at > l.at and usher.outcome(u.id) = 'committed' limit 1)
        then 'undone'
        else l.outcome
        end
      from (select o.id, o.at, o.kind,
                   case when o.kind <> 'bulk' or o.outcome <> 'committed' then o.outcome
                        else coalesce((select e.outcome from usher.operation e
                                        where e.parent = o.id and e.kind = 'end'
                                        order by e.at desc limit 1), 'running')
                   end as outcome
              from usher.operation o
             where o.id = $1) l
$$;
