-- What this session has written, by table, partitions as their root: rows inserted, updated and deleted. Only differences mean
-- anything, since earlier transactions may still be counted in. `tables` tells what the tables themselves are; `elsewhere` are tables of other
-- servers, of whose rows nothing is counted, that this transaction holds as only a writer does; `servers` are those that Citus keeps rows on.
create or replace function usher.counters() returns jsonb
language plpgsql volatile
as $$
declare
    found jsonb;
begin
    if not current_setting('track_counts')::boolean then
        raise exception 'the server does not count what is changed, so no change could be accounted for'
              using errcode = 'US003', detail = jsonb_build_object('refusal', 'no_counters')::text;
    end if;
    found := jsonb_build_object(
        'counts', coalesce(
            (with written as materialized (
                  select w.* from pg_stat_xact_user_tables w where w.schemaname <> 'usher' and w.n_tup_ins + w.n_tup_upd + w.n_tup_del > 0)
             select jsonb_object_agg(n.relation, jsonb_build_array(n.inserted, n.updated, n.deleted))
               from (select p.counted as relation, sum(s.n_tup_ins) as inserted, sum(s.n_tup_upd) as updated, sum(s.n_tup_del) as deleted
                       from written s
                       join usher.counted_as(array(select w.relid from written w)) p on p.relation = s.relid
                      group by 1) n), '{}'),
        'tables', (select count(*) || ' ' || sum(hashtextextended(c.oid::text || ' ' || c.xmin::text, 0))
                     from pg_class c
                    where c.relkind in ('r', 'p') and c.relpersistence <> 't'),
        'elsewhere', (select jsonb_agg(n.nspname || '.' || c.relname order by 1)
                        from pg_locks l
                        join pg_class c on c.oid = l.relation and c.relkind = 'f'
                        join pg_namespace n on n.oid = c.relnamespace
                       where l.locktype = 'relation' and l.pid = pg_backend_pid() and l.granted
                         and l.database = (select d.oid from pg_database d where d.datname = current_database())
                         and l.mode in ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')));
    if to_regclass('pg_catalog.pg_dist_partition') is not null then
        found := found || usher.counted_by_all(found -> 'counts');
    end if;
    return found;
end
$$;
