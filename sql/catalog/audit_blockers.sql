-- The number of operations that are older than five minutes and not sealed, and the sessions that block sealing. A session blocks sealing
-- if it holds the lock for sealing, or if its transaction began before the operations. If no session blocks sealing, the query returns one
-- row without a session.
with late as materialized (
    select o.at, o.transaction
      from usher.operation o
     where o.at < clock_timestamp() - interval '5 minutes'
       and (o.transaction >= (select s.horizon from usher.seal s order by s.number desc limit 1)) is not false
       and not exists (select from usher.sealed s where s.operation = o.id)
),
first as (
    select l.at, l.transaction::xid as transaction, (select count(*) from late) as operations from late l order by l.at limit 1
)
select f.operations, b.kind, b.name, b.operator
  from first f
  left join lateral (
       select 'lock' as kind, l.pid::text as name, a.usename::text as operator
         from pg_locks l
         left join pg_stat_activity a on a.pid = l.pid
        where l.relation = 'usher.seal'::regclass and l.granted and l.mode <> 'AccessShareLock'
          and l.database = (select d.oid from pg_database d where d.datname = current_database())
        union all
       select 'session', a.pid::text, a.usename::text
         from pg_stat_activity a
        where age(a.backend_xid) >= age(f.transaction)
        union all
       select 'prepared', p.gid, p.owner::text from pg_prepared_xacts p where age(p.transaction) >= age(f.transaction)) b on true
 order by b.kind, b.name
 limit 10
