-- Takes an operation back, alone or as a part of the undoing of a bulk, at an instant. It needs the role that the act itself
-- needed.
create or replace function usher.take_back(request jsonb, at timestamptz) returns jsonb
language plpgsql volatile
as $$
declare
    is_dry constant boolean := coalesce((request ->> 'dry')::boolean, false);
    undone usher.operation;
    app jsonb;
    act jsonb;
    steps jsonb;
    environment text;
    subjects text[];
    locks bigint[];
    report jsonb;
    kinds text[];
begin
    select o.* into undone from usher.operation o where o.id = (take_back.request ->> 'operation')::uuid;
    perform usher.refuse_irrevocable(undone, request);
    perform usher.refuse_forbidden(usher.role_of(undone), 'audit undo');
    environment := usher.environment_for('undo', request ->> 'reason', is_dry);
    app := usher.app_of(undone);
    steps := usher.undo_steps(app, undone.id);
    subjects := usher.keys(undone.payload -> 'users', coalesce(app ->> 'key_type', 'text'));
    foreach kinds slice 1 in array array[
        ['insert', 'delete', 'update'], ['delete', 'update', 'insert'], ['update', 'insert', 'delete'],
        ['insert', 'update', 'delete'], ['update', 'delete', 'insert'], ['delete', 'insert', 'update']]
    loop
        act := usher.undo_act(undone, steps, kinds);
        if locks is null then
            locks := usher.locks(undone.app, app -> 'root', act, subjects);
            if not usher.holds(locks) then return jsonb_build_object('outcome', 'locked', 'locks', to_jsonb(locks)); end if;
        end if;
        -- A part of many is put back by one statement where that is all there is to it.
        if request ->> 'parent' is not null and not is_dry then
            report := usher.taken_back_at_once(request, undone, app, act, environment, subjects, at);
            exit when report is not null;
        end if;
        report := usher.perform(app, act, subjects, at, '{}', request);
        exit when report ->> 'outcome' <> 'failed' or left(report -> 'error' ->> 'state', 2) <> '23';
    end loop;
    if report ->> 'outcome' = 'done' and report ->> 'changed' is null then
        perform usher.enter_undo(request, undone, app, act, environment, subjects, at, report -> 'changes');
    end if;
    return report || jsonb_build_object('environment', environment, 'now', at::text, 'remarks', steps -> 'remarks', 'users', to_jsonb(subjects));
end
$$;
