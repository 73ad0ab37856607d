-- The number of rows that this session has written, by table. Only differences between two readings are meaningful, because the counters
-- may include earlier transactions. One row has no table. It contains a fingerprint of the list of tables, the setting track_counts
-- (`kept`), and the foreign tables that this transaction has locked for writing.
select s.relid::text as "table", s.n_tup_ins as inserted, s.n_tup_upd as updated, s.n_tup_del as deleted,
       null::text as tables, null::text as servers, null::boolean as kept, null::text[] as elsewhere
  from pg_catalog.pg_stat_xact_user_tables s
 where s.schemaname <> 'usher'
   and s.n_tup_ins + s.n_tup_upd + s.n_tup_del > 0
 union all
select null, 0, 0, 0,
       (select count(*) || ' ' || sum(hashtextextended(c.oid::text || ' ' || c.xmin::text, 0))
          from pg_catalog.pg_class c
         where c.relkind in ('r', 'p') and c.relpersistence <> 't'),
       null,
       current_setting('track_counts')::boolean,
       (select array_agg(n.nspname || '.' || c.relname order by 1)
          from pg_catalog.pg_locks l
          join pg_catalog.pg_class c on c.oid = l.relation and c.relkind = 'f'
          join pg_catalog.pg_namespace n on n.oid = c.relnamespace
         where l.locktype = 'relation' and l.pid = pg_backend_pid() and l.granted
           and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = current_database())
           and l.mode in ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'))
