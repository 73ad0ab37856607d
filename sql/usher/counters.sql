-- What this session has written, by table: rows inserted, updated and deleted. Only differences mean anything, since earlier
-- transactions may still be counted in. `tables` tells what the tables themselves are; `elsewhere` are tables of other
-- servers, of whose rows nothing is counted, that this transaction holds as only a writer does.
create or replace function usher.counters() returns jsonb
language plpgsql volatile
as $$
begin
    if not current_setting('track_counts')::boolean then
        raise exception 'the server does not count what is changed, so no change could be accounted for'
              using errcode = 'US003', hint = 'a superuser has to set track_counts to on';
    end if;
    return jsonb_build_object(
        'counts', coalesce(
            (select jsonb_object_agg(s.relid, jsonb_build_array(s.n_tup_ins, s.n_tup_upd, s.n_tup_del))
               from pg_stat_xact_user_tables s
              where s.schemaname <> 'usher' and s.n_tup_ins + s.n_tup_upd + s.n_tup_del > 0), '{}'),
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
end
$$;
