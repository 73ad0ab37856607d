-- The tables that this transaction truncated, altered or created; a dropped table is not in the result. If a visible row version has a
-- writer that is still in progress, the writer must be this transaction.
select n.nspname || '.' || c.relname as name
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
 cross join (select pg_catalog.pg_current_xact_id()::xid as x, pg_catalog.pg_current_xact_id()::text::numeric as n) own
 where c.relkind in ('r', 'p') and c.relpersistence <> 't' and age(c.xmin) <= age(own.x)
   and pg_catalog.pg_xact_status((own.n + age(own.x) - age(c.xmin))::text::xid8) = 'in progress'
 order by 1
 limit 10
