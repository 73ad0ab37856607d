-- Whether the statements of a pass told all of what the server counted in a table.
create or replace function usher.tells_all(pass jsonb, relation text) returns boolean
language sql immutable
as $$
    select coalesce(jsonb_array_length(pass -> 'places' -> relation), -1)
         = (select sum((n.value #>> '{}')::bigint) from jsonb_array_elements(pass -> 'counts' -> relation) n)
$$;
