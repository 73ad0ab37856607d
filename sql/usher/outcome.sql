-- What became of an operation: a bulk change is running until its last end says otherwise, and undone when all its
-- batches are; what was done otherwise is undone when a later operation that undoes it was done as a whole and is not undone itself.
-- A chain of undos is read once, from the latest one, and each step by index: a scan for each would take as long as the whole.
create or replace function usher.outcome(operation uuid) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off
as $$
declare
    own record;
    undo record;
    undone uuid[] := '{}';
begin
    select o.id, o.at, o.kind,
           case when o.kind <> 'bulk' or o.outcome <> 'committed' then o.outcome
                else coalesce((select e.outcome from usher.operation e
                                where e.parent = o.id and e.kind = 'end'
                                order by e.at desc limit 1), 'running')
           end as outcome
      into own
      from usher.operation o
     where o.id = $1;
    if own.outcome is null or own.outcome not in ('committed', 'partial', 'running') then return own.outcome; end if;
    if own.kind = 'bulk' then
        -- Not EXISTS, which Postgres may answer by asking every operation what became of it.
        return case when (select true from usher.operation b
                           where b.parent = own.id and b.kind = 'batch' and b.outcome in ('committed', 'partial') limit 1)
                     and (select true from usher.operation b
                           where b.parent = own.id and b.kind = 'batch' and b.outcome in ('committed', 'partial')
                             and usher.outcome(b.id) <> 'undone' limit 1) is null
                    then 'undone' else own.outcome end;
    end if;
    for undo in
        with recursive undoing (id, undoes, at) as (
            select u.id, u.undoes, u.at from usher.operation u where u.undoes = own.id and u.at > own.at and u.outcome = 'committed'
             union all
            select u.id, u.undoes, u.at
              from undoing l
             cross join lateral (
                   select o.id, o.undoes, o.at from usher.operation o
                    where o.undoes = l.id and o.at > l.at and o.outcome = 'committed' offset 0) u
        )
        select u.id, u.undoes from undoing u order by u.at desc
    loop
        if undo.id <> all (undone) then undone := undone || undo.undoes; end if;
    end loop;
    return case when own.id = any (undone) then 'undone' else own.outcome end;
end
$$;
