-- Running an action.

-- An installed action, and what all actions of its app file share. Both rows are locked: if they changed since the snapshot of the
-- transaction was taken, it has to begin again (40001).
create or replace function usher.find_act(request jsonb, out act usher.act, out app jsonb)
language plpgsql volatile
as $$
begin
    select a.* into act
      from usher.act a
     where a.app = request ->> 'app' and a.digest = decode(request ->> 'digest', 'hex')
       and a.kind = request ->> 'kind' and a.kind <> 'app' and a.name = request ->> 'name' and a.retired_at is null
       for share;
    if act.app is null then
        if not exists (select from usher.act a where a.app = request ->> 'app' and a.retired_at is null) then
            raise exception 'the app file of % is not installed', request ->> 'app'
                  using errcode = 'US008', detail = 'not_installed',
                        hint = format('as the owner of the database, run `usher install --app %s`', request ->> 'app');
        end if;
        if not exists (select from usher.act a
                        where a.app = request ->> 'app' and a.digest = decode(request ->> 'digest', 'hex') and a.retired_at is null) then
            raise exception 'this app file of % differs from the installed one', request ->> 'app'
                  using errcode = 'US008', detail = 'other_file',
                        hint = format('as the owner of the database, run `usher install --app %s`', request ->> 'app');
        end if;
        raise exception '`%` is not installed for %', request ->> 'name', request ->> 'app'
              using errcode = 'US008', detail = 'no_act',
                    hint = format('as the owner of the database, run `usher install --app %s`', request ->> 'app');
    end if;
    select a.definition into app from usher.act a where a.app = act.app and a.digest = act.digest and a.kind = 'app' for share;
end
$$;

-- The action that an operation ran, or that an undone operation ran; null if no installed action explains it.
create or replace function usher.act_of(operation usher.operation) returns usher.act
language sql stable
as $$
    with recursive
    origin (id, undoes) as (
        select operation.id, operation.undoes
         union
        select o.id, o.undoes from origin u join usher.operation o on o.id = u.undoes
    )
    select a
      from origin u
      join usher.operation o on o.id = u.id
      join usher.act a on a.app = o.app and a.digest = o.app_digest and a.definition ->> 'command' = o.command
     where u.undoes is null
     -- States share a command and a role.
     order by a.name limit 1
$$;

-- What all actions of an operation's app share: as it is installed now, or as it was last.
create or replace function usher.app_of(operation usher.operation) returns jsonb
language sql stable
as $$
    select coalesce(
        (select a.definition
           from usher.act a
          where a.app = operation.app and a.kind = 'app'
          order by a.retired_at desc nulls first, a.installed_at desc
          limit 1),
        jsonb_build_object('key_type', 'text', 'path', current_setting('search_path'), 'secrets', '[]'::jsonb, 'decisions', '[]'::jsonb))
$$;

-- The request that an operation answers; null if it names none. Refuses if the operator may not approve it, if it has an answer,
-- or if it asks for something else.
--
-- A request is done as a whole or not at all: nobody would come back to the rest. `wanted` describes what is to be done as
-- `usher.ask` records it: {kind, name, arguments, selections, undoes}. The keys are apart.
create or replace function usher.asked_for(
    request jsonb, act usher.act, app text, command text, wanted jsonb, keys text[], at timestamptz, given jsonb, is_dry boolean
) returns usher.operation
language plpgsql volatile
as $$
declare
    place usher.request;
    asked usher.operation;
    asks jsonb;
    chosen text[];
    missing text;
begin
    if request ->> 'request' is null then return null; end if;
    -- If two people answer at once, the second finds it answered.
    if is_dry then
        select r.* into place from usher.request r where r.operation = (asked_for.request ->> 'request')::uuid;
    else
        select r.* into place from usher.request r where r.operation = (asked_for.request ->> 'request')::uuid for update;
    end if;
    select o.* into asked from usher.operation o where o.id = place.operation;
    perform usher.refuse_answered(place, request ->> 'request');
    missing := usher.missing_role(place, act);
    if missing is not null then
        raise exception 'approving `%` needs the role %, which % doesn''t have', command, missing, session_user
              using errcode = 'US005', detail = 'may_not_approve';
    end if;
    if asked.operator = session_user and (place.of_two or (usher.act_now(act)).definition ->> 'approve' is not null) then
        raise exception '`%` needs two people, and you made the request: somebody else must approve it', command
              using errcode = 'US003', detail = 'takes_another';
    end if;
    asks := asked.payload -> 'asks';
    chosen := array(select jsonb_array_elements_text(asks -> 'keys'));
    if asks ->> 'selections' is not null and wanted ->> 'selections' is null and act.app is not null then
        chosen := usher.selected(act.definition, asks -> 'selections', at, given);
        asks := asks - 'selections';
    end if;
    if asked.app is distinct from asked_for.app
       or jsonb_strip_nulls(asks - array['keys', 'command', 'world', 'plan', 'hidden']) is distinct from jsonb_strip_nulls(wanted)
       or not (asked_for.keys <@ chosen and chosen <@ asked_for.keys) then
        raise exception 'this command differs from the one in request %', asked.id
              using errcode = 'US003', detail = 'other_request';
    end if;
    return asked;
end
$$;

-- A report of an action that changed nothing.
create or replace function usher.nothing_done(outcome text, refused jsonb default '[]') returns jsonb
language sql immutable
as $$
    select '{"subjects": [], "changes": [], "decisions": [], "warnings": [], "impacts": []}'
           || jsonb_build_object('outcome', nothing_done.outcome, 'refused', nothing_done.refused)
$$;

-- The refusals of some subjects, in their order: by the app file (`judgement`), and by an earlier attempt (`objections`).
create or replace function usher.refusals(keys text[], judgement jsonb, objections jsonb) returns jsonb
language sql immutable
as $$
    select coalesce(jsonb_agg(r.remark), '[]')
      from (select judgement -> 'refused' -> '' as remark where judgement -> 'refused' ? ''
            union all
            select coalesce(o.value, judgement -> 'refused' -> k.key)
              from unnest(refusals.keys) with ordinality as k (key, place)
              left join jsonb_array_elements(objections) o on o.value ->> 'key' = k.key
             where o.value is not null or judgement -> 'refused' ? k.key) r
$$;

-- Keys without those of some refusals.
create or replace function usher.without(keys text[], refused jsonb) returns text[]
language sql immutable
as $$
    select array(select k.key
                   from unnest(without.keys) with ordinality as k (key, place)
                  where not exists (select from jsonb_array_elements(without.refused) r where r.value ->> 'key' = k.key)
                  order by k.place)
$$;

-- The changes of an action, or {objections} if the server objects to some of several subjects.
create or replace function usher.changes_or_objections(
    app jsonb, act jsonb, relations jsonb, keys text[], at timestamptz, arguments jsonb, is_tolerant boolean
) returns jsonb
language plpgsql volatile
as $$
declare
    error text;
    objections jsonb := '[]';
begin
    return usher.changes(app, act, relations, changes_or_objections.keys, at, arguments);
exception when sqlstate 'UA005' then
    error := sqlerrm;
    if act ->> 'each' is null and act ->> 'undoes' is null and cardinality(changes_or_objections.keys) > 1 then
        objections := usher.objectors(app, act, relations, usher.deferred(), changes_or_objections.keys, at, arguments);
    end if;
    if objections = '[]' or jsonb_array_length(objections) = cardinality(changes_or_objections.keys) and not is_tolerant then
        raise sqlstate 'UA005' using message = error;
    end if;
    return jsonb_build_object('objections', objections);
end
$$;

-- Does an action to some subjects and reports it; the caller rolls it back unless it is done. The outcome `again` means to begin
-- again: without the subjects of `objections`, or with the locks of more users (`later`). The users of the report are all whom the
-- action concerns: whose its subjects were, and whose they are then.
create or replace function usher.try_action(
    app jsonb, act jsonb, relations jsonb, keys text[], refused jsonb, later text[], at timestamptz, arguments jsonb, terms jsonb
) returns jsonb
language plpgsql volatile
as $$
declare
    is_tolerant constant boolean := coalesce((terms ->> 'tolerant')::boolean, false);
    users text[] := usher.users(act, try_action.keys, at, arguments);
    about constant jsonb := usher.about(act, try_action.keys, at, arguments);
    concerned text[] := usher.affected_users(act, try_action.keys, at, arguments);
    subjects text[];
    since text[];
    impacts jsonb;
    before jsonb;
    after jsonb;
    done jsonb;
    unkept jsonb;
begin
    concerned := concerned || array(select l.key from unnest(later) l (key) where l.key <> all (concerned));
    impacts := usher.impacts(act, at, arguments);
    before := usher.standing(app, concerned, at);
    done := usher.changes_or_objections(app, act, relations, try_action.keys, at, arguments, is_tolerant);
    if not done ? 'changes' then
        return jsonb_build_object('outcome', 'again', 'objections', jsonb_path_query_array(done, '$.objections[*] ? (exists (@.error))'));
    end if;
    -- Of subjects that are done one by one, some may have been refused.
    subjects := usher.without(try_action.keys, done -> 'objections');
    if cardinality(subjects) = 0 and act ->> 'subject' <> 'nothing' then
        return usher.nothing_done('refused', refused || (done -> 'objections'));
    end if;
    if act ->> 'owners' is not null then
        -- The new users of a subject are known only now. Their decisions before are read when it is done again.
        since := usher.affected_users(act, subjects, at, arguments);
        if not since <@ concerned then
            return jsonb_build_object('outcome', 'again', 'later', array(select s.key from unnest(since) s (key) where s.key <> all (concerned)));
        end if;
        -- A refused subject still has its users.
        if done -> 'objections' <> '[]' then
            concerned := array(
                select c.key from unnest(concerned) with ordinality as c (key, place)
                 where c.key = any (since)
                    or c.key <> all (usher.affected_users(act, array(select o.value ->> 'key' from jsonb_array_elements(done -> 'objections') o), at, arguments))
                 order by c.place);
        end if;
    end if;
    if act ? 'pieces' then
        done := done || jsonb_build_object('remarks', usher.restored(act -> 'pieces', done));
    end if;
    after := usher.standing(app, concerned, at);
    if done -> 'objections' <> '[]' then users := usher.users(act, subjects, at, arguments); end if;
    unkept := usher.unkept(act, users, subjects, about, after);
    if unkept <> '[]' and act ->> 'subject' = 'users' and jsonb_array_length(unkept) < cardinality(subjects) then
        return jsonb_build_object('outcome', 'again', 'objections', unkept);
    elsif unkept <> '[]' then
        return usher.nothing_done('refused', unkept);
    end if;
    return jsonb_build_object(
        'outcome', 'done', 'subjects', to_jsonb(subjects), 'users', to_jsonb(concerned), 'changes', done -> 'changes',
        'others', done -> 'others', 'remarks', coalesce(done -> 'remarks', '[]'), 'decisions', usher.decided(app, concerned, before, after),
        'warnings', done -> 'warnings', 'refused', refused || (done -> 'objections'), 'impacts', usher.impacts(act, at, arguments, impacts));
end
$$;

-- The report of an action that was done, with its fingerprint, and whether it stays done: not if it was only tried, did nothing, or
-- differs from its plan, or without a plan from the request that it answers.
create or replace function usher.settled(report jsonb, act jsonb, at timestamptz, terms jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    rows constant integer := jsonb_array_length(report -> 'changes');
    fingerprint constant text := usher.fingerprint(report, at, coalesce(split_part(terms ->> 'plan', ':', 1), gen_random_uuid()::text));
    asked constant text := terms #>> '{asked,plan}';
    has_moved constant boolean := asked is not null
        and asked <> usher.fingerprint(report, at, split_part(asked, ':', 1), terms #> '{asked,hidden}');
    outcome constant text := case when terms ->> 'plan' <> fingerprint then 'changed'
                                  when (terms ->> 'dry')::boolean then 'planned'
                                  when has_moved and terms ->> 'plan' is null then 'changed'
                                  when rows = 0 then 'nothing' else 'done' end;
begin
    if outcome = 'done' and rows > (act ->> 'ceiling')::bigint and not coalesce((terms ->> 'confirmed')::boolean, false) then
        raise exception 'this action changes % rows, more than the limit of %; confirm it as a severe change', rows, act ->> 'ceiling'
              using errcode = 'US009', detail = 'over_ceiling';
    end if;
    return report || jsonb_build_object('fingerprint', fingerprint, 'outcome', outcome, 'moved', has_moved);
end
$$;

-- Does an action to some subjects and reports it. Subjects to whom it can't be done are left out and named. Whatever is not done in
-- the end is rolled back.
--
-- `terms` say how: dry, the fingerprint of the plan, the request that it answers (`asked`), confirmed as severe, whether it may be
-- about nobody in the end (`tolerant`), and what was counted before (`guarded`).
create or replace function usher.run_action(
    app jsonb, act jsonb, keys text[], at timestamptz, arguments jsonb, terms jsonb
) returns jsonb
language plpgsql volatile
as $$
declare
    relations constant jsonb := usher.writable_relations(act);
    judgement jsonb := '{"refused": {}, "warnings": []}';
    objections jsonb := '[]';
    refused jsonb;
    subjects text[];
    later text[] := '{}';
    report jsonb;
begin
    if act ->> 'each' is null then judgement := usher.judged(act, run_action.keys, at, arguments); end if;
    loop
        refused := usher.refusals(run_action.keys, judgement, objections);
        subjects := usher.without(run_action.keys, refused);
        if cardinality(subjects) = 0 and (act ->> 'subject' <> 'nothing' or refused <> '[]') then
            return usher.nothing_done(case when refused = '[]' then 'nothing' else 'refused' end, refused);
        end if;
        if later <> '{}' then
            report := usher.take_locks(usher.locks(null, app -> 'root', '{"subject": "users"}', later));
            if report is not null then return report; end if;
        end if;
        begin
            report := usher.try_action(app, act, relations, subjects, refused, later, at, arguments, terms);
            if report ->> 'outcome' = 'done' then
                report := report || jsonb_build_object(
                    'warnings', (judgement -> 'warnings') || (report -> 'warnings'),
                    'refused', (select coalesce(jsonb_agg(r.value order by k.place nulls first), '[]')
                                  from jsonb_array_elements(report -> 'refused') r
                                  left join unnest(run_action.keys) with ordinality as k (key, place) on k.key = r.value ->> 'key'));
                perform usher.refuse_beside(terms -> 'guarded');
                report := usher.settled(report, act, at, terms);
                if report ->> 'outcome' = 'done' then return report; end if;
            end if;
            raise sqlstate 'UA003';
        exception
            when sqlstate 'UA003' then
                if report ->> 'outcome' <> 'again' then return report; end if;
                objections := objections || coalesce(report -> 'objections', '[]');
                later := later || array(select jsonb_array_elements_text(report -> 'later'));
            when sqlstate 'UA005' then
                return jsonb_build_object('outcome', 'failed', 'error', sqlerrm::jsonb);
        end;
    end loop;
end
$$;

-- The first checks of every function that changes something, and what is counted before it does.
create or replace function usher.open_transaction(request jsonb) returns jsonb
language plpgsql volatile
as $$
begin
    perform usher.refuse_late(request);
    perform usher.refuse_open_path();
    return usher.guarded();
end
$$;

-- The installed action that a request is about, what all actions of its app share, the environment and the arguments. Refuses if the
-- operator may not run the action here.
create or replace function usher.open_action(
    request jsonb, is_dry boolean, out act usher.act, out app jsonb, out environment text, out given jsonb
)
language plpgsql volatile
as $$
declare
    found record;
begin
    select * into found from usher.find_act(request);
    act := found.act;
    app := found.app;
    perform usher.own_session(app);
    -- An action that nobody may run here can't be requested either.
    environment := usher.environment_for(act.kind, request ->> 'reason', open_action.is_dry);
    perform usher.refuse_forbidden(
        act.role, case act.kind when 'setting' then act.name else act.definition ->> 'command' end, request ->> 'request');
    given := usher.arguments(act.definition -> 'parameters', request -> 'arguments');
end
$$;

-- Locks the subjects of an action and the users whom it concerns, unless it has more than a hundred subjects: returns the locks if
-- somebody else holds one, else null.
create or replace function usher.lock_subjects(
    name text, app jsonb, act jsonb, keys text[], at timestamptz, arguments jsonb, guarded jsonb
) returns jsonb
language plpgsql volatile
as $$
declare
    locks constant bigint[] := usher.locks(
        lock_subjects.name, app -> 'root', act, lock_subjects.keys,
        case when act ->> 'subject' = 'users' and act ->> 'named' is null or cardinality(lock_subjects.keys) > 100 then '{}'
             else usher.affected_users(act, lock_subjects.keys, at, arguments) end);
    busy constant jsonb := usher.take_locks(locks);
begin
    if busy is not null then perform usher.refuse_beside(lock_subjects.guarded); end if;
    return busy;
end
$$;

-- Runs an installed action: {id, app, digest, kind, name, keys, arguments, now, plan, dry, confirmed, reason, ticket}. {request} names
-- the request that this answers, and {moved} allows that what the request depends on has changed. To be called in a transaction of
-- its own at REPEATABLE READ, which the caller commits. A session runs few actions, so no statement is planned for its values.
create or replace function usher.run(request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
    is_dry constant boolean := coalesce((request ->> 'dry')::boolean, false);
    may_have_moved constant boolean := coalesce((request ->> 'moved')::boolean, false);
    guarded constant jsonb := usher.open_transaction(request);
    opened record;
    act jsonb;
    at timestamptz;
    subjects text[];
    asked usher.operation;
    has_moved boolean := false;
    report jsonb;
    users text[];
    names jsonb;
    said jsonb;
begin
    select * into opened from usher.open_action(request, is_dry);
    act := (opened.act).definition;
    perform usher.refuse_alone(opened.act, opened.environment, request, is_dry);
    at := usher.instant(request ->> 'now');
    subjects := usher.keys(request -> 'keys', act ->> 'key_type');
    report := usher.lock_subjects((opened.act).app, opened.app, act, subjects, at, opened.given, guarded);
    if report is not null then return report; end if;
    perform usher.refuse_strangers(act, subjects, at, opened.given, request ->> 'plan');
    asked := usher.asked_for(
        request, opened.act, (opened.act).app, act ->> 'command',
        jsonb_build_object('kind', (opened.act).kind, 'name', (opened.act).name, 'arguments', usher.plain(act, opened.given)), subjects, at,
        opened.given, is_dry);
    if asked.id is not null and not may_have_moved then
        has_moved := usher.has_moved(asked, opened.app, act, subjects, at, opened.given, is_dry);
    end if;
    report := usher.run_action(
        opened.app, act, subjects, at, opened.given,
        request || jsonb_build_object('guarded', guarded, 'asked', case when not may_have_moved then asked.payload -> 'asks' end));
    if report ->> 'outcome' = 'locked' then
        perform usher.refuse_beside(guarded);
        return report;
    end if;
    has_moved := has_moved or report ->> 'outcome' = 'planned' and (report ->> 'moved')::boolean;
    users := array(select jsonb_array_elements_text(report -> 'users'));
    names := usher.named_users(opened.app, users, at);
    if report ->> 'outcome' = 'done' then
        said := usher.ledger_payload(
            opened.app, act, opened.environment, array(select jsonb_array_elements_text(report -> 'subjects')), at, opened.given, request)
            || jsonb_build_object('asked_by', asked.operator, 'beside', nullif(report -> 'others', 'null'),
                                  'decisions', usher.changed_decisions(report -> 'decisions'));
    end if;
    perform usher.refuse_beside(guarded);
    if said is not null then
        perform usher.record(
            (request ->> 'id')::uuid, 'change', 'committed', act ->> 'command', (opened.act).app, (opened.act).digest, null, null,
            usher.root_name(opened.app), users, said, report -> 'changes', asked.id);
    end if;
    return report || jsonb_build_object('environment', opened.environment, 'now', at::text, 'moved', has_moved, 'names', names);
end
$$;
