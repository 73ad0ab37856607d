-- Functions by name, of any schema where that is empty, and whether they change something. What is marked as reading is
-- believed, since Postgres keeps it to that. Of its own functions the marks tell: what is volatile and must not run beside
-- other processes changes something, and what results in nothing is called for what it does. Of others the source tells the
-- rest; what has none that can be read is doubtful, unless it may run beside other processes, which nothing may that writes.
select n.nspname as schema, p.proname as name,
       case when p.provolatile <> 'v' then false
            when p.prorettype = 'void'::regtype then true
            when n.nspname = 'pg_catalog' then p.proparallel = 'u'
            when l.lanname not in ('sql', 'plpgsql') and p.proparallel = 's' then false
       end as writes,
       case when l.lanname in ('sql', 'plpgsql') then coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) end as source
  from unnest($1::text[], $2::text[]) as wanted (schema, name)
  join pg_proc p on p.proname = wanted.name
  join pg_namespace n on n.oid = p.pronamespace and (n.nspname = wanted.schema or wanted.schema = '')
  join pg_language l on l.oid = p.prolang
