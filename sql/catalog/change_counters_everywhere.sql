-- The number of rows that this transaction's sessions have written on all Citus servers, by table (see change_counters.sql). The row
-- without a table also identifies the sessions on the other servers, and has their other writes. If this row changed, differences between
-- two readings are not meaningful.
with own (relation, counts) as (
    select usher.counted_as(s.relid)::text, pg_catalog.jsonb_build_array(sum(s.n_tup_ins), sum(s.n_tup_upd), sum(s.n_tup_del))
      from pg_catalog.pg_stat_xact_user_tables s
     where s.schemaname <> 'usher' and s.n_tup_ins + s.n_tup_upd + s.n_tup_del > 0
     group by 1
),
counted as materialized (
    select usher.counted_by_all(coalesce((select pg_catalog.jsonb_object_agg(o.relation, o.counts) from own o), '{}')) as c
)
select e.key as "table", (e.value ->> 0)::bigint as inserted, (e.value ->> 1)::bigint as updated, (e.value ->> 2)::bigint as deleted,
       null::text as tables, null::text as servers, null::boolean as kept, null::text[] as elsewhere
  from counted, jsonb_each(counted.c -> 'counts') e
 union all
select null, 0, 0, 0,
       (select count(*) || ' ' || sum(hashtextextended(c.oid::text || ' ' || c.xmin::text, 0))
          from pg_catalog.pg_class c
         where c.relkind in ('r', 'p') and c.relpersistence <> 't'),
       counted.c ->> 'servers',
       current_setting('track_counts')::boolean,
       (select array_agg(n.nspname || '.' || c.relname order by 1)
          from pg_catalog.pg_locks l
          join pg_catalog.pg_class c on c.oid = l.relation and c.relkind = 'f'
          join pg_catalog.pg_namespace n on n.oid = c.relnamespace
         where l.locktype = 'relation' and l.pid = pg_backend_pid() and l.granted
           and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = current_database())
           and l.mode in ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'))
  from counted
