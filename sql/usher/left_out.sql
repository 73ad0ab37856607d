-- What is said of rows that an undo leaves as they are: the first hundred that are not as they were before.
create or replace function usher.left_out(since jsonb) returns jsonb
language sql immutable
as $$ select jsonb_path_query_array(jsonb_path_query_array(since, '$[*] ? (@.restored == false)'), '$[0 to 99]') $$;
