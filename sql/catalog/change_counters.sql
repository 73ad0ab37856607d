-- The number of rows that this session has written, by table. Only differences between two readings are meaningful, because the counters
-- may include earlier transactions. One row has no table. It contains a fingerprint of the list of tables, the setting track_counts
-- (`kept`), and the foreign tables that this transaction has locked for writing.
with tables as materialized (
       -- The view pg_stat_xact_user_tables would also count the index scans of all tables.
       select c.oid, c.xmin, c.relkind, c.relpersistence, c.relnamespace,
              pg_stat_get_xact_tuples_inserted(c.oid) as inserted, pg_stat_get_xact_tuples_updated(c.oid) as updated,
              pg_stat_get_xact_tuples_deleted(c.oid) as deleted
         from pg_catalog.pg_class c
        where c.relkind in ('r', 'm', 'p')
)
select t.oid::text as "table", t.inserted, t.updated, t.deleted,
       null::text as tables, null::text as servers, null::boolean as kept, null::text[] as elsewhere
  from tables t
  join pg_catalog.pg_namespace n on n.oid = t.relnamespace and n.nspname not in ('pg_catalog', 'information_schema', 'usher')
 where t.inserted + t.updated + t.deleted > 0
 union all
select null, 0, 0, 0,
       (select count(*) || ' ' || sum(hashtextextended(t.oid::text || ' ' || t.xmin::text, 0))
          from tables t
         where t.relkind in ('r', 'p') and t.relpersistence <> 't'),
       null,
       current_setting('track_counts')::boolean,
       (select array_agg(n.nspname || '.' || c.relname order by 1)
          from pg_catalog.pg_locks l
          join pg_catalog.pg_class c on c.oid = l.relation and c.relkind = 'f'
          join pg_catalog.pg_namespace n on n.oid = c.relnamespace
         where l.locktype = 'relation' and l.pid = pg_backend_pid() and l.granted
           and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = current_database())
           and l.mode in ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'))
