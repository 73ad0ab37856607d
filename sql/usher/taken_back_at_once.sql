-- Takes a part of many back by one statement, and takes that down; NULL where the thorough way has to, and nothing is done.
-- What the operation changed is a list of keys: to look them up one by one costs the same however many others there are.
create or replace function usher.taken_back_at_once(
    request jsonb, undone usher.operation, app jsonb, act jsonb, environment text, subjects text[], at timestamptz
) returns jsonb
language plpgsql volatile
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set random_page_cost = 1.1
set max_parallel_workers_per_gather = 0
as $$
declare
    targets constant jsonb := act -> 'steps' -> 0 -> 'targets';
    relations constant jsonb := usher.written(targets);
    changed bigint;
begin
    perform usher.own_settings(app -> 'settings');
    perform usher.refuse_obstacle(r.value ->> 'obstacle', r.value ->> 'place') from jsonb_each(relations) r order by r.key;
    perform usher.refuse_hidden(targets);
    perform usher.refuse_found(act -> 'obstacles', 'what it changed has changed since');
    begin
        perform usher.enter_undo(request, undone, app, act, environment, subjects, at, '[]');
        -- What the triggers of the table write is known from what is taken back.
        changed := usher.updated_at_once(app, act, relations, undone.id, (request ->> 'id')::uuid, subjects, at, '{}');
        if changed is null or changed = 0 then raise sqlstate 'UA006'; end if;
        perform usher.refuse_found(act -> 'verifications', 'it cannot be restored');
    exception when sqlstate 'UA006' or sqlstate 'US003' then return null;
    end;
    return jsonb_build_object(
        'outcome', 'done', 'subjects', '[]'::jsonb, 'warnings', '[]'::jsonb, 'refused', '[]'::jsonb, 'impacts', '[]'::jsonb,
        'changed', changed);
end
$$;
