-- The schema of the extension pg_trgm for trigram indexes (NULL if it is not installed), and a flag if the server provides it.
select (select quote_ident(n.nspname) from pg_extension e join pg_namespace n on n.oid = e.extnamespace
         where e.extname = 'pg_trgm') as schema,
       exists (select from pg_available_extensions where name = 'pg_trgm') as available
