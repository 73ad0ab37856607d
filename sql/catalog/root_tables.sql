-- The tables that could be the table of users, sorted by name.
select n.nspname as schema, c.relname as name
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
 where (c.relkind in ('r', 'p', 'f') or c.relkind = 'm' and c.relispopulated) and not c.relispartition
   and n.nspname not in ('information_schema', 'usher')
   and n.nspname !~ '^pg_'
