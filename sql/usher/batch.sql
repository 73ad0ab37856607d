-- Does the next part of an act on many that was begun: {id, operation, size, secrets}. The part is recorded whatever comes of
-- it, so that going on begins behind it; when none is left, that is recorded. What is said against some is no reason to leave
-- the others. To be called like `usher.run`, again and again.
create or replace function usher.batch(request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    whole usher.operation;
    act usher.act;
    installed usher.act;
    environment text;
    app jsonb;
    at timestamptz;
    given jsonb;
    parts record;
    part constant uuid := (request ->> 'id')::uuid;
    due text[];
    locks bigint[];
    gone integer;
    last integer;
    position jsonb;
    report jsonb;
    because text;
    facts text;
    guarded jsonb;
begin
    perform usher.refuse_late(request);
    perform usher.refuse_open_path();
    guarded := usher.guarded();
    select o.* into whole from usher.operation o where o.id = (batch.request ->> 'operation')::uuid and o.kind = 'bulk';
    if whole.id is null then
        raise exception 'there is no act on many %', request ->> 'operation' using errcode = 'US004',
              detail = jsonb_build_object('refusal', 'no_bulk', 'operation', request ->> 'operation')::text;
    end if;
    -- One part at a time, whoever continues.
    if not usher.holds(array[hashtextextended('usher bulk ' || whole.id, 0)]) then
        return jsonb_build_object('outcome', 'locked', 'locks', array[hashtextextended('usher bulk ' || whole.id, 0)]);
    end if;
    if usher.outcome(whole.id) <> 'running' then
        raise exception 'this was done by somebody else meanwhile; nothing was done twice'
              using errcode = 'US006', detail = jsonb_build_object('refusal', 'done_meanwhile')::text;
    end if;
    -- What became of a part is asked where something undoes it.
    select count(*) as number,
           exists (select from (select p.id from usher.operation p join usher.operation u on u.undoes = p.id
                                 where p.parent = whole.id and p.kind = 'batch' offset 0) p
                    where usher.outcome(p.id) = 'undone') as are_undone,
           usher.reached(whole.id) as last
      into parts
      from usher.operation b where b.parent = whole.id and b.kind = 'batch';
    if parts.are_undone and whole.undoes is null then
        raise exception 'parts of % are undone; going on would leave them so', whole.id using errcode = 'US003',
              detail = jsonb_build_object('refusal', 'parts_undone', 'operation', whole.id)::text;
    end if;
    at := (whole.payload ->> 'now')::timestamptz;
    environment := usher.environment_for(
        case when whole.undoes is null then whole.payload ->> 'kind'
             else (select usher.kind_of_undoing(o) from usher.operation o where o.id = whole.undoes) end,
        whole.payload ->> 'reason', false);
    -- Between two places: to be shown all that are left, and to take the first of them, is more each time the more there are.
    select coalesce(array_agg(s.key order by s.ordinal), '{}'), max(s.ordinal) into due, last
      from (select u.ordinal from usher.subject u
             where u.operation = whole.id and u.ordinal > parts.last and u.key is not null
             order by u.ordinal limit 1) as next (place)
      join usher.subject s on s.operation = whole.id and s.key is not null and s.ordinal >= next.place
       and s.ordinal < next.place + case when whole.undoes is null then greatest((batch.request ->> 'size')::integer, 1) else 1 end;
    if whole.undoes is not null then
        perform usher.refuse_forbidden(usher.role_of(whole), whole.command);
        -- Taking an undoing back does again what takes two.
        if exists (select from usher.operation o where o.id = whole.undoes and o.undoes is not null) then
            perform usher.refuse_alone(usher.act_of(whole), environment, jsonb_build_object('request', whole.request), false);
        end if;
    else
        select a.* into act from usher.act a
         where a.app = whole.app and a.digest = whole.app_digest and a.kind = whole.payload ->> 'kind' and a.name = whole.payload ->> 'name';
        -- It goes on as it began, while the action is installed, for those who may do and approve it now.
        installed := usher.act_now(act);
        if installed.app is null then
            raise exception '`%` is not among what was installed of %', act.name, whole.app using errcode = 'US008',
                  detail = jsonb_build_object('refusal', 'no_act', 'app', whole.app, 'name', act.name)::text;
        end if;
        perform usher.refuse_forbidden(installed.role, whole.command);
        perform usher.refuse_alone(act, environment, jsonb_build_object('request', whole.request), false);
        if whole.request is not null then perform usher.refuse_forbidden(coalesce(installed.definition ->> 'approve', installed.role), whole.command); end if;
        app := (select a.definition from usher.act a where a.app = act.app and a.digest = act.digest and a.kind = 'app');
        perform usher.own_session(app);
    end if;
    perform usher.refuse_other_list(whole, parts.last + 1, coalesce(last, (whole.payload ->> 'listed')::integer));
    if cardinality(due) = 0 then return usher.finish(whole, part); end if;
    position := jsonb_build_object('number', parts.number + 1, 'last', last);
    if whole.undoes is not null then
        begin
            -- Of what is forgotten in part: those whom nobody forgot, and the changes that are forgotten.
            gone := (select case when b.erased is null then coalesce((b.payload ->> 'done')::bigint, 0)
                                 else cardinality(coalesce(b.subjects, '{}')) + usher.erased_changes(b.id) end
                       from usher.operation b where b.id = due[1]::uuid);
            report := usher.take_back(
                jsonb_build_object('id', part, 'operation', due[1], 'parent', whole.id, 'confirmed', true, 'reason', whole.payload -> 'reason',
                                   'ticket', whole.payload -> 'ticket', 'position', position || jsonb_build_object('done', gone), 'guarded', guarded), at);
            if report ->> 'outcome' = 'locked' then return report; end if;
            because := report -> 'error' ->> 'message';
        exception when sqlstate 'US003' then
            get stacked diagnostics because = message_text, facts = pg_exception_detail;
            report := jsonb_build_object(
                'outcome', 'refused', 'error', jsonb_build_object('state', sqlstate, 'message', because, 'detail', facts));
        end;
        if report ->> 'outcome' <> 'done' then
            perform usher.enter(
                part, 'batch', case report ->> 'outcome' when 'failed' then 'failed' else 'refused' end, whole.command, whole.app,
                whole.app_digest, whole.id, due[1]::uuid, whole.root, null,
                position || jsonb_build_object('done', 0, 'refused', gone, 'because', because));
            report := report || jsonb_build_object('done', 0, 'refusals', gone, 'because', because);
        else
            position := usher.taken_back_from(position || jsonb_build_object('done', gone), (report ->> 'left_out')::bigint);
            report := report || jsonb_build_object('done', position -> 'done', 'refusals', position -> 'refused');
        end if;
    else
        -- What is secret was recorded nowhere, and is said again each time.
        given := usher.arguments(
            act.definition -> 'parameters',
            coalesce((select jsonb_object_agg(p.value ->> 'name', batch.request -> 'secrets' -> (p.value ->> 'name'))
                        from jsonb_array_elements(act.definition -> 'parameters') p
                       where (p.value ->> 'secret')::boolean), '{}') || coalesce(whole.payload -> 'arguments', '{}'));
        locks := usher.locks(whole.app, app -> 'root', act.definition, due, usher.touched(act.definition, due, at, given));
        perform usher.refuse_beside(guarded);
        if not usher.holds(locks) then return jsonb_build_object('outcome', 'locked', 'locks', to_jsonb(locks)); end if;
        report := usher.part_at_once(whole, app, act.definition, part, due, at, given, position);
        if report is not null then return report; end if;
        guarded := usher.guarded();
        due := usher.still_selected(
            act.definition, whole.payload -> 'selections', usher.listed(act.definition, due, at, given), at, given);
        begin
            report := usher.perform(app, act.definition, due, at, given, jsonb_build_object('tolerant', true, 'confirmed', true, 'guarded', guarded));
            if report ->> 'outcome' = 'locked' then return report; end if;
            because := report -> 'error' ->> 'message';
        exception when sqlstate 'US003' then
            get stacked diagnostics because = message_text, facts = pg_exception_detail;
            report := jsonb_build_object(
                'outcome', 'refused', 'refused', '[]'::jsonb,
                'error', jsonb_build_object('state', sqlstate, 'message', because, 'detail', facts));
        end;
        if report ->> 'outcome' = 'done' then
            due := array(select jsonb_array_elements_text(report -> 'subjects'));
            position := position || jsonb_build_object('done', cardinality(due), 'refused', jsonb_array_length(report -> 'refused'));
            perform usher.enter(
                part, 'batch', 'committed', whole.command, whole.app, whole.app_digest, whole.id, null, whole.root,
                array(select jsonb_array_elements_text(report -> 'users')),
                usher.said(app, act.definition, environment, due, at, '{}', '{}')
                    || position || jsonb_build_object('beside', nullif(report -> 'others', 'null'), 'decisions', usher.turned(report -> 'decisions')),
                report -> 'changes');
        else
            -- What changes nothing is done to those whom nothing is said against.
            gone := case when because is not null then cardinality(due) else jsonb_array_length(report -> 'refused') end;
            position := position || jsonb_build_object(
                'done', case when report ->> 'outcome' = 'nothing' then jsonb_array_length(report -> 'subjects') else 0 end,
                'refused', gone, 'because', because);
            perform usher.enter(
                part, 'batch', case report ->> 'outcome' when 'failed' then 'failed' else 'refused' end, whole.command, whole.app,
                whole.app_digest, whole.id, null, whole.root, null, position);
        end if;
        report := report || jsonb_build_object('done', position -> 'done', 'refusals', position -> 'refused', 'because', because);
    end if;
    return report - 'changes' - 'decisions'
        || jsonb_build_object(
               'changed', coalesce((report ->> 'changed')::bigint, jsonb_array_length(report -> 'changes'), 0), 'operation', part);
end
$$;
