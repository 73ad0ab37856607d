-- Of how decisions stood before and after, what is different: null where nothing is.
create or replace function usher.turned(decisions jsonb) returns jsonb
language sql immutable
as $$
    select nullif(jsonb_path_query_array(coalesce(turned.decisions, '[]'), '$[*] ? (@.before != @.after)'), '[]')
$$;
