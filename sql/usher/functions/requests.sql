-- Requests to another role, and the answers.

-- Asks for the deletion of accounts, which is for an eraser: {id, app, keys, dry, reason, ticket}. The deletion itself answers
-- it, whoever begins it, and forgets what was said here.
create or replace function usher.ask_deletion(request jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    role constant text := 'usher_eraser';
    command constant text := 'account delete';
    is_dry constant boolean := coalesce((request ->> 'dry')::boolean, false);
    environment constant text := usher.environment_for('erasure', request ->> 'reason', is_dry);
    whom record;
    asks jsonb;
    same uuid;
begin
    if usher.may(role) then perform usher.refuse_needless(command); end if;
    select p.* into whom from usher.person(request ->> 'app', request -> 'keys') p;
    if whom.locks is not null then return jsonb_build_object('outcome', 'locked', 'locks', to_jsonb(whom.locks)); end if;
    if cardinality(whom.keys) = 0 then
        raise exception 'it is asked for nobody' using errcode = 'US002', detail = jsonb_build_object('refusal', 'asked_for_nobody')::text;
    end if;
    asks := jsonb_build_object('kind', 'deletion', 'command', command, 'keys', to_jsonb(whom.keys));
    select r.operation into same
      from usher.request r
      join usher.operation o on o.id = r.operation
     where r.answer is null and o.app = (whom.act).app and o.payload -> 'asks' = asks
     limit 1;
    if same is not null then
        raise exception 'the same is asked for already, by request %', same
              using errcode = 'US006', detail = jsonb_build_object('refusal', 'asked_already', 'request', same)::text;
    end if;
    if not is_dry then
        perform usher.enter(
            (request ->> 'id')::uuid, 'request', 'committed', 'request', (whom.act).app, (whom.act).digest, null, null,
            usher.root_name((whom.act).definition), whom.keys,
            jsonb_build_object(
                'target', usher.labelled((whom.act).definition, '{"subject": "users"}', whom.keys, transaction_timestamp()),
                'users', to_jsonb(whom.keys), 'asks', asks, 'reason', request -> 'reason', 'ticket', request -> 'ticket',
                'environment', environment));
        insert into usher.request (operation, role, of_two) values ((request ->> 'id')::uuid, role, false);
    end if;
    return jsonb_build_object(
        'outcome', case when is_dry then 'planned' else 'done' end, 'environment', environment,
        'now', transaction_timestamp()::text, 'subjects', to_jsonb(whom.keys), 'role', role);
end
$$;

-- Asks for an act that is for somebody else to do, or takes two: {id, app, digest, kind, name, keys or selections, arguments,
-- dry, reason, ticket}; for the undoing of an operation: {id, operation, ...}; or for a deletion, by the kind of that name. Says
-- what whoever asks may see of it: what speaks for and against it, how the decisions stand, and, where the act is for this role,
-- all that it would change. To be called like `usher.run`.
create or replace function usher.ask(request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    is_dry constant boolean := coalesce((request ->> 'dry')::boolean, false);
    at constant timestamptz := transaction_timestamp();
    selections constant jsonb := coalesce(nullif(request -> 'selections', 'null'), '[]');
    found record;
    undone usher.operation;
    app jsonb;
    definition jsonb;
    environment text;
    role text;
    of_two boolean;
    may_do boolean;
    given jsonb := '{}';
    subjects text[] := '{}';
    users text[] := '{}';
    locks bigint[];
    judgement jsonb;
    standing jsonb;
    asks jsonb;
    same uuid;
    guarded jsonb;
    report jsonb := '{"changes": [], "decisions": [], "warnings": [], "refused": [], "impacts": []}';
begin
    perform usher.refuse_late(request);
    perform usher.refuse_open_path();
    guarded := usher.guarded();
    if request ->> 'kind' = 'deletion' then return usher.ask_deletion(request); end if;
    if request ->> 'operation' is null then
        select * into found from usher.find_act(request);
        definition := (found.act).definition;
        environment := usher.environment_for((found.act).kind, request ->> 'reason', is_dry);
        role := coalesce(definition ->> 'approve', (found.act).role);
        may_do := usher.may((found.act).role);
        of_two := definition ->> 'approve' is not null;
        if may_do and not (of_two and environment = 'production') then perform usher.refuse_needless(definition ->> 'command'); end if;
        perform usher.own_session(found.app);
        -- What is secret is said by whoever does it.
        given := usher.arguments(
            (select coalesce(jsonb_agg(p.value), '[]') from jsonb_array_elements(definition -> 'parameters') p
              where not (p.value ->> 'secret')::boolean), request -> 'arguments');
        if selections = '[]' then
            subjects := usher.keys(request -> 'keys', definition ->> 'key_type');
            if definition ->> 'subject' <> 'nothing' then
                if cardinality(subjects) = 0 then
                    raise exception 'it is asked for nobody' using errcode = 'US002', detail = jsonb_build_object('refusal', 'asked_for_nobody')::text;
                end if;
                perform usher.refuse_strangers(definition, subjects, at, given, null);
            end if;
            locks := usher.locks((found.act).app, found.app -> 'root', definition, subjects, usher.touched(definition, subjects, at, given));
            perform usher.refuse_beside(guarded);
            if not usher.holds(locks) then return jsonb_build_object('outcome', 'locked', 'locks', to_jsonb(locks)); end if;
            users := usher.concerned(definition, subjects, at, given);
        else
            perform usher.selected(definition, selections, at, given);
        end if;
        asks := jsonb_build_object(
            'kind', (found.act).kind, 'name', (found.act).name, 'arguments', given,
            'selections', nullif(selections, '[]'), 'keys', to_jsonb(subjects));
    else
        select null::usher.act as act, null::jsonb as app into found;
        select o.* into undone from usher.operation o where o.id = (ask.request ->> 'operation')::uuid;
        if undone.kind = 'bulk' then
            perform usher.refuse_irrevocable_bulk(undone, ask.request);
        else
            perform usher.refuse_irrevocable(undone, ask.request);
        end if;
        definition := jsonb_build_object('command', 'audit undo', 'subject', 'nothing', 'parameters', '[]'::jsonb);
        environment := usher.environment_for(usher.kind_of_undoing(undone), request ->> 'reason', is_dry);
        found.act := usher.act_of(undone);
        of_two := undone.undoes is not null and (found.act).definition ->> 'approve' is not null;
        role := coalesce(case when of_two then (found.act).definition ->> 'approve' end, usher.role_of(undone));
        may_do := usher.may(usher.role_of(undone));
        if may_do and not (of_two and environment = 'production') then perform usher.refuse_needless('audit undo'); end if;
        users := coalesce(undone.subjects, '{}');
        app := usher.app_of(undone);
        perform usher.own_session(app);
        if undone.kind <> 'bulk' then
            perform usher.refuse_found(
                usher.changed_since(app, undone, usher.undo_steps(app, undone.id, null)), 'changed_since', 'what it changed has changed since');
            if cardinality(users) <= 100 then
                standing := usher.standing(app, users, at);
                report := report || jsonb_build_object('decisions', usher.decided(app, users, standing, standing));
            end if;
        end if;
        asks := jsonb_build_object('kind', 'undo', 'undoes', undone.id);
    end if;
    select r.operation into same
      from usher.request r
      join usher.operation o on o.id = r.operation
     where r.answer is null and o.app is not distinct from coalesce((found.act).app, undone.app)
       and (o.payload -> 'asks') - array['command', 'world', 'plan'] = jsonb_strip_nulls(asks)
     limit 1;
    if same is not null then
        raise exception 'the same is asked for already, by request %', same
              using errcode = 'US006', detail = jsonb_build_object('refusal', 'asked_already', 'request', same)::text;
    end if;
    if found.app is not null and selections = '[]' and cardinality(subjects) <= 100 then
        judgement := usher.judged(definition, subjects, at, given);
        standing := usher.standing(found.app, users, at);
        report := report || jsonb_build_object(
            'warnings', judgement -> 'warnings', 'decisions', usher.decided(found.app, users, standing, standing),
            'refused', (select coalesce(jsonb_agg(r.value order by r.key), '[]') from jsonb_each(judgement -> 'refused') r));
        asks := asks || jsonb_build_object('world', usher.world(
            found.app, definition, subjects, at, given, judgement, standing, gen_random_uuid()::text));
        perform usher.refuse_beside(guarded);
        if jsonb_array_length(report -> 'refused') >= greatest(cardinality(subjects), 1) then
            return report || jsonb_build_object('outcome', 'refused', 'environment', environment, 'now', at::text);
        end if;
        -- A secret is known to nobody yet.
        if may_do and not exists (select from jsonb_array_elements(definition -> 'parameters') p where (p.value ->> 'secret')::boolean) then
            report := usher.perform(found.app, definition, subjects, at, given, jsonb_build_object('dry', true, 'guarded', guarded));
            if report ->> 'outcome' <> 'planned' then
                return report || jsonb_build_object('environment', environment, 'now', at::text);
            end if;
            users := array(select jsonb_array_elements_text(report -> 'users'));
            asks := asks || jsonb_build_object('plan', report -> 'fingerprint');
        end if;
    end if;
    report := report || jsonb_build_object(
        'outcome', case when is_dry then 'planned' else 'done' end, 'environment', environment, 'now', at::text,
        'subjects', to_jsonb(subjects), 'role', role, 'names', usher.named_users(coalesce(found.app, app), users, at));
    perform usher.refuse_beside(guarded);
    if is_dry then return report; end if;
    perform usher.enter(
        (request ->> 'id')::uuid, 'request', 'committed', 'request', coalesce((found.act).app, undone.app),
        coalesce((found.act).digest, undone.app_digest), null, null, coalesce(usher.root_name(found.app), undone.root),
        case when selections = '[]' then users end,
        usher.said(found.app, definition, environment, subjects, at, given, request) - 'final'
            || jsonb_build_object(
                   'asks', asks || jsonb_build_object('command', coalesce(definition ->> 'command', 'audit undo')),
                   'users', case when users <> '{}' then to_jsonb(users) end,
                   'preview', jsonb_build_object(
                       'decisions', report -> 'decisions', 'warnings', jsonb_array_length(report -> 'warnings'),
                       'changes', case when may_do then jsonb_array_length(report -> 'changes') end))
            || case when undone.id is not null
                    then jsonb_build_object('target', concat_ws(' ', undone.command, undone.payload ->> 'target', undone.id))
                    when selections <> '[]'
                    then jsonb_build_object('target', (select string_agg('--' || s.name, ' ' order by s.place)
                                                         from jsonb_array_elements_text(selections) with ordinality as s (name, place)))
                    else '{}' end);
    insert into usher.request (operation, role, of_two) values ((request ->> 'id')::uuid, role, of_two);
    return report;
end
$$;

-- Answers a request otherwise than by doing it: {id, request, answer, reason, ticket}. Whoever may approve it declines it, and
-- whoever asked withdraws it. To be called like `usher.run`.
create or replace function usher.answer(request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    way constant text := request ->> 'answer';
    place usher.request;
    asked usher.operation;
    act usher.act;
    missing text;
begin
    perform usher.refuse_late(request);
    if way is null or way not in ('decline', 'withdraw') then
        raise exception 'an answer is decline or withdraw' using errcode = 'US002', detail = jsonb_build_object('refusal', 'no_answer')::text;
    end if;
    select r.* into place from usher.request r where r.operation = (answer.request ->> 'request')::uuid for update;
    perform usher.refuse_answered(place, request ->> 'request');
    select o.* into asked from usher.operation o where o.id = place.operation;
    if way = 'withdraw' and asked.operator <> session_user then
        raise exception '% asked for it, who alone may withdraw it', asked.operator using errcode = 'US005',
              detail = jsonb_build_object('refusal', 'not_the_asker', 'asker', asked.operator)::text;
    end if;
    if way = 'decline' then
        if asked.operator = session_user then
            raise exception 'you asked for it yourself' using errcode = 'US003',
                  detail = jsonb_build_object('refusal', 'own_request', 'request', asked.id)::text;
        end if;
        select a.* into act from usher.act a
         where a.app = asked.app and a.digest = asked.app_digest and a.kind = asked.payload -> 'asks' ->> 'kind'
           and a.name = asked.payload -> 'asks' ->> 'name';
        missing := usher.missing_role(place, act);
        if missing is not null then
            raise exception 'declining it needs the role %, which % has not', missing, session_user using errcode = 'US005',
                  detail = jsonb_build_object('refusal', 'may_not_decline', 'role', missing, 'user', session_user)::text;
        end if;
    end if;
    perform usher.enter(
        (request ->> 'id')::uuid, 'answer', 'committed', 'request ' || way, asked.app, null, null, null, asked.root, asked.subjects,
        jsonb_build_object('target', asked.payload -> 'target', 'users', asked.payload -> 'users', 'asked_by', asked.operator,
                           'reason', request -> 'reason', 'ticket', request -> 'ticket', 'environment', usher.environment_name()),
        request := asked.id);
    return jsonb_build_object('outcome', 'done', 'now', transaction_timestamp()::text);
end
$$;
