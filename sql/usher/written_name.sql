-- A name as JSON writes it, in lower case.
create or replace function usher.written_name(name text) returns text
language sql immutable set search_path = pg_catalog, pg_temp
as $$
    select lower(substr(w.json, 2, length(w.json) - 2)) from (select to_jsonb(written_name.name)::text as json) w
$$;
