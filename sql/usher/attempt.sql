-- Records an attempt that changed nothing, or whose connection was lost, and returns whether it did. The row `lost` fences
-- an operation off: it waits for a commit on its way, and yields to it. No attempt can be recorded as done.
--
-- Readers of the audit log rely on the types of what an attempt says, so it records these members and no others.
create or replace function usher.attempt(id uuid, kind text, outcome text, command text, app text, payload jsonb) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    most constant integer := 262144;
    said jsonb;
begin
    if attempt.outcome not in ('refused', 'declined', 'forbidden', 'failed', 'lost') or attempt.kind not in ('change', 'undo', 'erasure', 'restore', 'forget', 'bulk', 'batch', 'end', 'install', 'request', 'answer', 'note') then
        raise exception 'an attempt is refused, declined, forbidden, failed or lost' using errcode = 'US002', detail = jsonb_build_object('refusal', 'no_attempt')::text;
    end if;
    -- Whoever may say what was tried fills no disk with it.
    if greatest(octet_length(attempt.payload::text), octet_length(attempt.command), octet_length(attempt.app)) > most then
        raise exception 'an attempt says % bytes at most', most using errcode = 'US002',
              detail = jsonb_build_object('refusal', 'long_attempt', 'most', most)::text;
    end if;
    select jsonb_object_agg(m.key, m.value)
      into said
      from jsonb_each(case jsonb_typeof(attempt.payload) when 'object' then attempt.payload else '{}' end) m
     where case
               when m.key in ('target', 'reason', 'ticket', 'because', 'hint', 'environment', 'undoes', 'plan', 'app', 'digest')
               then jsonb_typeof(m.value) = 'string'
               when m.key in ('users', 'arguments')
               then jsonb_typeof(m.value) = case m.key when 'users' then 'array' else 'object' end
                    and not jsonb_path_exists(m.value, 'strict $.**{1 to last} ? (@.type() != "string")')
               when m.key in ('final', 'cut') then jsonb_typeof(m.value) = 'boolean'
               when m.key = 'total' then jsonb_typeof(m.value) = 'number'
               else false
           end;
    perform usher.enter(
        attempt.id, attempt.kind, attempt.outcome, attempt.command, attempt.app, null, null, null, null, null,
        coalesce(said, '{}') || '{"attempt": true}');
    return true;
exception when unique_violation then
    if attempt.outcome <> 'lost' then raise; end if;
    return false;
end
$$;
