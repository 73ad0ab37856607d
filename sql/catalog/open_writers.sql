-- Other transactions that are writing into some tables ($1), of those that were known already ($2) or else all.
select l.virtualtransaction as writer,
       min(l.relation::regclass::text) as "table"
  from pg_locks l
 where l.locktype = 'relation'
   and l.database = (select d.oid from pg_database d where d.datname = current_database())
   and l.granted
   and l.mode in ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
   and l.pid is distinct from pg_backend_pid()
   and l.relation = any ($1::oid[])
   and ($2::text[] is null or l.virtualtransaction = any ($2::text[]))
 group by 1
 order by 2
