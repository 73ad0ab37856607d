-- Who keeps others from reading tables, or is the next to: of one that an error names ($1), else of all. A part is told as its whole.
-- What another session waits for can be asked as long as it waits.
select distinct n.nspname as schema, w.relname as name, l.pid, l.granted, a.usename as role,
       (select min(b.pid) from unnest(case when not l.granted then pg_blocking_pids(l.pid) end) as b (pid)
         where b.pid <> pg_backend_pid()) as behind
  from pg_locks l
  join pg_class c on c.oid = l.relation
  join pg_class w on w.oid = coalesce(pg_partition_root(c.oid), c.oid)
  join pg_namespace n on n.oid = w.relnamespace
  left join pg_stat_activity a on a.pid = l.pid
 where l.locktype = 'relation' and l.mode = 'AccessExclusiveLock' and l.pid <> pg_backend_pid()
   and l.database = (select d.oid from pg_database d where d.datname = current_database())
   and c.relkind in ('r', 'p', 'm') and n.nspname <> 'pg_toast'
   and ($1::text is null or w.oid = to_regclass($1) or c.oid = to_regclass($1))
 order by l.granted desc, schema, name, l.pid
 limit 3
