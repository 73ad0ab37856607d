-- Whether something tells the rows of a table apart.
create or replace function usher.has_key(shape jsonb) returns boolean
language sql immutable
as $$ select jsonb_path_exists(shape, '$.columns[*] ? (@.in_key == true)') $$;
