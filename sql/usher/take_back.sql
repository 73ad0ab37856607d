-- Takes an operation back, alone or as a part of the undoing of a bulk, at an instant. It needs the role that the act itself
-- needed. Rows that changed since refuse it; of many, they alone are left as they are. Of a part that is
-- only tried, the first hundred rows of each table are enough.
create or replace function usher.take_back(request jsonb, at timestamptz) returns jsonb
language plpgsql volatile
as $$
declare
    is_dry constant boolean := coalesce((request ->> 'dry')::boolean, false);
    is_tolerant constant boolean := request ->> 'parent' is not null or coalesce((request ->> 'tolerant')::boolean, false);
    undone usher.operation;
    app jsonb;
    act jsonb;
    steps jsonb;
    environment text;
    subjects text[];
    locks bigint[];
    report jsonb;
    chosen integer[];
    unlike integer[];
    since jsonb := '[]';
    left_out bigint := 0;
    erased bigint := 0;
    forgotten jsonb := '[]';
    asked usher.operation;
begin
    select o.* into undone from usher.operation o where o.id = (take_back.request ->> 'operation')::uuid;
    perform usher.refuse_irrevocable(undone, request);
    -- Of what is forgotten in part, its record still says to which others it was done.
    if undone.erased is not null then
        erased := usher.erased_changes(undone.id);
        undone.payload := jsonb_build_object(
            'users', case when (usher.act_of(undone)).definition ->> 'subject' = 'users' then to_jsonb(coalesce(undone.subjects, '{}')) end);
    end if;
    if erased > 0 then forgotten := jsonb_build_array(jsonb_build_object('left', 'erased', 'table', '', 'names', erased::text)); end if;
    perform usher.refuse_forbidden(usher.role_of(undone), 'audit undo', request ->> 'request');
    environment := usher.environment_for(usher.kind_of_undoing(undone), request ->> 'reason', is_dry);
    app := usher.app_of(undone);
    perform usher.own_session(app);
    -- Taking an undoing back does again what takes two.
    if undone.undoes is not null then perform usher.refuse_alone(usher.act_of(undone), environment, request, is_dry); end if;
    asked := usher.asked_for(
        request, case when undone.undoes is not null then usher.act_of(undone) end, undone.app, 'audit undo',
        jsonb_build_object('kind', 'undo', 'undoes', undone.id), null, at, '{}', is_dry);
    subjects := usher.keys(undone.payload -> 'users', coalesce(app ->> 'key_type', 'text'));
    -- What the act itself locked.
    locks := usher.locks(
        undone.app, app -> 'root', jsonb_build_object('subject', 'object', 'noun', (usher.act_of(undone)).definition -> 'noun'),
        array(select jsonb_array_elements_text(coalesce(undone.payload -> 'objects', '[]'))), coalesce(nullif(undone.subjects, '{}'), subjects));
    if not usher.holds(locks) then return jsonb_build_object('outcome', 'locked', 'locks', to_jsonb(locks)); end if;
    if request ->> 'parent' is not null and not is_dry then
        -- A part of many is put back by one statement where that is all there is to it.
        report := usher.taken_back_at_once(request, undone, app, environment, subjects, at);
        if report is not null then
            return report || jsonb_build_object(
                'environment', environment, 'now', at::text, 'remarks', report -> 'remarks' || forgotten, 'users', to_jsonb(subjects),
                'left_out', (report ->> 'left_out')::bigint + erased);
        end if;
        -- What this wrote is rolled back and still counted.
        request := request || jsonb_build_object('guarded', usher.guarded());
    end if;
    if is_tolerant and is_dry then
        chosen := usher.first_changes(undone.id, '{}');
        subjects := array(select u.key from unnest(subjects) with ordinality as u (key, place)
                           order by not exists (select from usher.change c, jsonb_each_text(c.payload -> 'key') k
                                                 where c.operation = undone.id and c.ordinal = any (chosen) and k.value = u.key),
                                    u.place limit 100);
    end if;
    steps := usher.undo_steps(app, undone.id, chosen);
    since := usher.changed_since(app, undone, steps);
    if not is_tolerant then
        perform usher.refuse_found(since, 'changed_since', 'what it changed has changed since');
    else
        -- Of what was taken back in part before, the first hundred may be as they were.
        if jsonb_array_length(since) = cardinality(chosen) then
            chosen := null;
            since := usher.changed_since(app, undone, usher.undo_steps(app, undone.id, null));
        end if;
        if since <> '[]' then
            unlike := array(select (s.value ->> 'ordinal')::integer from jsonb_array_elements(since) s);
            chosen := case when is_dry and chosen is null then usher.first_changes(undone.id, unlike)
                           else array(select c.ordinal from usher.change c
                                       where c.operation = undone.id and c.payload is not null and (chosen is null or c.ordinal = any (chosen))
                                      except select u.ordinal from unnest(unlike) u (ordinal)
                                       order by 1) end;
            left_out := jsonb_array_length(jsonb_path_query_array(since, '$[*] ? (@.restored == false)'));
            if cardinality(chosen) = 0 then
                return jsonb_build_object(
                    'outcome', 'refused', 'subjects', '[]'::jsonb, 'changes', '[]'::jsonb, 'decisions', '[]'::jsonb, 'warnings', '[]'::jsonb,
                    'impacts', '[]'::jsonb, 'refused', usher.left_out(since), 'environment', environment, 'now', at::text);
            end if;
            steps := usher.undo_steps(app, undone.id, chosen);
        end if;
    end if;
    for act in select a.act from usher.undo_acts(undone, steps) a (act) loop
        -- All whom the act concerned are told of, be they whose it was, whose it became, or named.
        if not is_tolerant then
            act := act || jsonb_build_object('named', format('select unnest(%L::text[])', coalesce(undone.subjects, '{}')));
        end if;
        report := usher.perform(app, act, subjects, at, '{}', request);
        exit when report ->> 'outcome' <> 'failed' or left(report -> 'error' ->> 'state', 2) <> '23';
    end loop;
    if report ->> 'outcome' = 'done' and report ->> 'changed' is null then
        perform usher.enter_undo(
            request, undone, app, act, environment, subjects, at, left_out, report -> 'changes', asked, report -> 'decisions');
    end if;
    return report || jsonb_build_object(
        'environment', environment, 'now', at::text, 'remarks', steps -> 'remarks' || coalesce(report -> 'remarks', '[]') || forgotten, 'users', to_jsonb(subjects),
        'names', usher.named_users(app, array(select jsonb_array_elements_text(report -> 'users')), at),
        'left_out', left_out + erased, 'refused', coalesce(report -> 'refused', '[]') || usher.left_out(since));
end
$$;
