-- Functions by name, and whether they write. Of Postgres' own the marks tell: what is volatile and must not run beside other
-- processes changes something; of the others what is marked as reading is believed, since Postgres keeps it to that, and the
-- source tells the rest.
select n.nspname as schema, p.proname as name,
       case when p.provolatile <> 'v' then false
            when n.nspname = 'pg_catalog' then p.proparallel = 'u'
       end as writes,
       case when l.lanname in ('sql', 'plpgsql') then coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) end as source
  from unnest($1::text[], $2::text[]) as wanted (schema, name)
  join pg_namespace n on n.nspname = wanted.schema
  join pg_proc p on p.pronamespace = n.oid and p.proname = wanted.name
  join pg_language l on l.oid = p.prolang
