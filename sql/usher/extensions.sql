-- The extensions of this database as they are now. What they let a session set is recorded with each app.
create or replace function usher.extensions() returns text[]
language sql stable
as $$
    select coalesce(array_agg(e.extname || ' ' || e.extversion order by e.extname), '{}') from pg_extension e
$$;
