-- What a function of this schema answers to a request, and what it refuses: {state, message, detail, hint} as the error. An
-- error that is answered is none in the server's log, and nothing of the act is left. It has no right of its own.
create or replace function usher.told(function text, request jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp
as $$
declare
    answer jsonb;
    facts text;
    hint text;
begin
    execute format('select usher.%I($1)', told.function) into answer using told.request;
    return answer;
exception when others then
    if left(sqlstate, 2) <> 'US' then raise; end if;
    get stacked diagnostics facts = pg_exception_detail, hint = pg_exception_hint;
    return jsonb_build_object(
        'outcome', 'objected',
        'error', jsonb_build_object('state', sqlstate, 'message', sqlerrm, 'detail', nullif(facts, ''), 'hint', nullif(hint, '')));
end
$$;
