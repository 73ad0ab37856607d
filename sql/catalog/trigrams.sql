-- Whether texts can have a trigram index: the schema of pg_trgm (NULL if it is not installed), and whether it can be installed.
select (select quote_ident(n.nspname) from pg_extension e join pg_namespace n on n.oid = e.extnamespace
         where e.extname = 'pg_trgm') as schema,
       exists (select from pg_available_extensions where name = 'pg_trgm') as available
