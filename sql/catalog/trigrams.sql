-- The schema of the extension pg_trgm for trigram indexes. If it is not installed, the schema is public, or NULL if the server doesn't
-- provide the extension.
select coalesce(
           (select quote_ident(n.nspname) from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_trgm'),
           (select 'public' from pg_available_extensions where name = 'pg_trgm')) as schema
