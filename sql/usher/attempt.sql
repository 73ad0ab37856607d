-- Takes down what was tried and did not happen, or whose connection was lost, and says whether it did. The row `lost` fences
-- an operation off: it waits for a commit on its way, and yields to it. Nothing can be said to be done here.
create or replace function usher.attempt(id uuid, kind text, outcome text, command text, app text, payload jsonb) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    most constant integer := 262144;
begin
    if attempt.outcome not in ('refused', 'forbidden', 'failed', 'lost') or attempt.kind not in ('change', 'undo', 'erasure', 'restore', 'forget', 'bulk', 'batch', 'end', 'install', 'request', 'answer', 'note') then
        raise exception 'an attempt is refused, forbidden, failed or lost' using errcode = 'US002', detail = jsonb_build_object('refusal', 'no_attempt')::text;
    end if;
    -- Whoever may say what was tried fills no disk with it.
    if greatest(octet_length(attempt.payload::text), octet_length(attempt.command), octet_length(attempt.app)) > most then
        raise exception 'an attempt says % bytes at most', most using errcode = 'US002',
              detail = jsonb_build_object('refusal', 'long_attempt', 'most', most)::text;
    end if;
    perform usher.enter(
        attempt.id, attempt.kind, attempt.outcome, attempt.command, attempt.app, null, null, null, null, null,
        coalesce(attempt.payload, '{}') || '{"attempt": true}');
    return true;
exception when unique_violation then
    if attempt.outcome <> 'lost' then raise; end if;
    return false;
end
$$;
