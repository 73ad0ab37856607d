-- The functions that run actions. The subjects of an action are the users or objects on which it runs.

-- The action of an operation. For an undo, this is the action of the undone operation. Null if the table `act` doesn't have the action.
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
     -- All test states of an app have the same command and role, so the query returns the first one.
     order by a.name limit 1
$$;

-- The definition of an operation's app: the installed definition, else the latest earlier one. If the app was never installed, the
-- definition has no users and no decisions.
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

-- Returns true if the definition of the action `act` differs from the definition that was installed at the time of the request `asked`.
create or replace function usher.has_changed(act usher.act, asked usher.operation) returns boolean
language sql stable
as $$
    select exists (
        select from usher.act a
         where a.app = asked.app and a.digest = asked.app_digest and a.kind = asked.payload #>> '{asks,kind}' and a.name = asked.payload #>> '{asks,name}'
           and a.definition - array['listed', 'owners', 'named'] <> act.definition - array['listed', 'owners', 'named'])
$$;

-- The request that an operation answers; null if the operation answers no request. Refuses the operation if the operator can't approve the
-- request, or if the request already has an answer or describes a different change.
--
-- An approval must run the change for all users of the request, because nobody would run it later for the others. `wanted` describes the
-- change as `usher.ask` records it: {kind, name, arguments, selections, undoes}. `keys` has the keys of the users.
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
    -- The lock makes a second approval wait. After the wait, the second approval sees that the request already has an answer.
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
    if asked.operator = session_user and (place.of_two or usher.approver_of(act) is not null) then
        raise exception '`%` needs two people: you made the request, so another operator must approve it', command
              using errcode = 'US003', detail = 'takes_another';
    end if;
    asks := asked.payload -> 'asks';
    chosen := array(select jsonb_array_elements_text(asks -> 'keys'));
    if asks ->> 'selections' is not null and wanted ->> 'selections' is null and act.app is not null then
        chosen := usher.selected(act.definition, asks -> 'selections', at, given);
        asks := asks - 'selections';
    end if;
    if asked.app is distinct from asked_for.app
       or jsonb_strip_nulls(asks - array['keys', 'command', 'plan', 'hidden']) is distinct from jsonb_strip_nulls(wanted)
       or not (asked_for.keys <@ chosen and chosen <@ asked_for.keys) then
        raise exception 'this command differs from the command in request %', asked.id
              using errcode = 'US003', detail = 'other_request', hint = format('`usher request show %s` shows the requested command', asked.id);
    end if;
    if not is_dry and request -> 'moved' is distinct from 'true' and usher.has_changed(act, asked) then
        raise exception 'the action `%` was changed in the installed app file after request % was made', command, asked.id
              using errcode = 'US006', detail = 'moved', hint = format('run `usher request decline %s`, and ask the requester for a new request', asked.id);
    end if;
    return asked;
end
$$;

-- The report of an action that changed no rows. `refused` has the refused subjects, each with the reason.
create or replace function usher.nothing_done(outcome text, refused jsonb default '[]') returns jsonb
language sql immutable
as $$
    select '{"subjects": [], "changes": [], "decisions": [], "warnings": [], "impacts": []}'
           || jsonb_build_object('outcome', nothing_done.outcome, 'refused', nothing_done.refused)
$$;

-- The keys of the subjects that were not refused.
create or replace function usher.without(keys text[], refused jsonb) returns text[]
language sql immutable
as $$
    select array(select k.key
                   from unnest(without.keys) with ordinality as k (key, place)
                  where not exists (select from jsonb_array_elements(without.refused) r where r.value ->> 'key' = k.key)
                  order by k.place)
$$;

-- Runs an action on some subjects and returns a report. If the outcome is not `done`, the caller rolls the action back. With the outcome
-- `again`, the caller repeats the action without the subjects in `objections`, or with locks on more users (`later`). An action can move a
-- subject to another user, so the report contains the users from before and after the action.
create or replace function usher.try_action(
    app jsonb, act jsonb, relations jsonb, keys text[], refused jsonb, later text[], at timestamptz, arguments jsonb, terms jsonb
) returns jsonb
language plpgsql volatile
as $$
declare
    is_tolerant constant boolean := coalesce((terms ->> 'tolerant')::boolean, false);
    users text[] := usher.users(act, try_action.keys, at, arguments);
    about constant jsonb := usher.promised_outcomes(act, try_action.keys, at, arguments);
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
    done := usher.changes(app, act, relations, try_action.keys, at, arguments, is_tolerant);
    if not done ? 'changes' then
        return jsonb_build_object('outcome', 'again', 'objections', jsonb_path_query_array(done, '$.objections[*] ? (exists (@.error))'));
    end if;
    -- If the action ran for each subject separately, usher may have refused some of the subjects.
    subjects := usher.without(try_action.keys, done -> 'objections');
    if cardinality(subjects) = 0 and act ->> 'subject' <> 'nothing' then
        return usher.nothing_done('refused', refused || (done -> 'objections'));
    end if;
    if act ->> 'owners' is not null then
        -- The new owners of a subject are known only after the action. If there are any, the action runs again, to read their decisions
        -- before the action too.
        since := usher.affected_users(act, subjects, at, arguments);
        if not since <@ concerned then
            return jsonb_build_object('outcome', 'again', 'later', array(select s.key from unnest(since) s (key) where s.key <> all (concerned)));
        end if;
        -- A refused subject did not change, so its users are not affected.
        if done -> 'objections' <> '[]' then
            concerned := array(
                select c.key from unnest(concerned) with ordinality as c (key, place)
                 where c.key = any (since)
                    or c.key <> all (usher.affected_users(act, array(select o.value ->> 'key' from jsonb_array_elements(done -> 'objections') o), at, arguments))
                 order by c.place);
        end if;
    end if;
    if act ? 'pieces' then done := done || usher.restored(act, done); end if;
    if done ? 'outcome' then return done; end if;
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

-- Adds the fingerprint and the final outcome to the report of an action that ran. The fingerprint is a digest for comparing a change with
-- its preview. The outcome is `done` only if the action is not a dry run, changed rows, and has the same fingerprint as its preview. If the
-- action differs from the preview of its request, the function raises an error, except in a dry run or if the operator accepts the
-- difference.
create or replace function usher.settled(report jsonb, act jsonb, at timestamptz, terms jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    rows constant integer := jsonb_array_length(report -> 'changes');
    fingerprint constant text := usher.fingerprint(report, at, coalesce(split_part(terms ->> 'plan', ':', 1), gen_random_uuid()::text));
    asked constant jsonb := terms -> 'asked';
    has_moved constant boolean := coalesce((asked ->> 'changed')::boolean, false) or coalesce(asked ->> 'plan' <> usher.fingerprint(
        case when asked ? 'hidden' then report else usher.report_before(report) end, at, split_part(asked ->> 'plan', ':', 1), asked -> 'hidden'), false);
    outcome constant text := case when terms ->> 'plan' <> fingerprint then 'changed'
                                  when (terms ->> 'dry')::boolean then 'planned'
                                  when rows = 0 then 'nothing' else 'done' end;
begin
    if has_moved and (terms ->> 'dry')::boolean is not true then
        raise exception 'the data changed after request % was made, so the change differs from the preview of the request', terms #>> '{request}'
              using errcode = 'US006', detail = 'moved';
    end if;
    if outcome = 'done' and rows > (act ->> 'ceiling')::bigint and not coalesce((terms ->> 'confirmed')::boolean, false) then
        raise exception 'this action changes % rows, but its limit is % rows; to exceed the limit, confirm it as a severe change', rows, act ->> 'ceiling'
              using errcode = 'US009', detail = 'over_ceiling';
    end if;
    return report || jsonb_build_object('fingerprint', fingerprint, 'outcome', outcome, 'moved', has_moved);
end
$$;

-- Runs an action on some subjects and returns a report. Skips refused subjects and lists them in the report. Rolls the action back if the
-- final outcome is not `done`.
--
-- The members of `terms`: `dry` is true for a dry run. `plan` is the fingerprint of the preview. `asked` describes the request that the
-- action answers; its member `changed` is true if another version of the action was installed after the request. `confirmed` is true if the
-- operator confirmed a severe change. With `tolerant`, the action doesn't fail if all subjects are refused. `guarded` has the row counts
-- before the action.
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
        -- usher refuses subjects by conditions of the app file (`judgement`) and by errors of an earlier run (`objections`).
        refused := (select coalesce(jsonb_agg(r.remark order by r.place), '[]')
                      from (select judgement -> 'refused' -> '' as remark, 0 as place where judgement -> 'refused' ? ''
                            union all
                            select coalesce(o.value, judgement -> 'refused' -> k.key), k.place
                              from unnest(run_action.keys) with ordinality as k (key, place)
                              left join jsonb_array_elements(objections) o on o.value ->> 'key' = k.key
                             where o.value is not null or judgement -> 'refused' ? k.key) r);
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

-- Checks the transaction and the search path; every function that changes data calls this first. Returns the row counts before the change
-- (see `guarded`).
create or replace function usher.open_transaction(request jsonb) returns jsonb
language plpgsql volatile
as $$
begin
    perform usher.refuse_late(request);
    perform usher.refuse_open_path();
    return usher.guarded();
end
$$;

-- Raises the error that an action or a whole app file is not installed.
create or replace function usher.refuse_not_installed(app text, digest bytea, name text) returns void
language plpgsql stable
as $$
declare
    installed constant bytea[] := array(
        select a.digest from usher.act a where a.app = refuse_not_installed.app and a.kind = 'app' and a.retired_at is null);
    code constant text := case when installed = '{}' then 'not_installed' when digest <> all (installed) then 'other_file' else 'no_act' end;
begin
    raise exception '%', case code when 'not_installed' then format('the app file of %s is not installed', app)
                                   when 'other_file' then format('this app file of %s differs from the installed one', app)
                                   else format('the action `%s` of the app %s is not installed', name, app) end
          using errcode = 'US008', detail = code, hint = format('as the owner of the database, run `usher install --app %s`', app);
end
$$;

-- The installed action of a request, the definition of its app, the environment and the arguments. Refuses the request if the operator
-- can't run the action in this environment. An operator who only requests the action (`is_requested`) doesn't need the role, and enters no
-- secrets.
--
-- Locks the rows of the action and of its app. If one of these rows changed after the transaction took its snapshot, the server raises
-- 40001, and the caller must begin a new transaction.
create or replace function usher.open_action(
    request jsonb, is_dry boolean, is_requested boolean, out act usher.act, out app jsonb, out environment text, out given jsonb
)
language plpgsql volatile
as $$
begin
    select a.* into act
      from usher.act a
     where a.app = request ->> 'app' and a.digest = decode(request ->> 'digest', 'hex')
       and a.kind = request ->> 'kind' and a.kind <> 'app' and a.name = request ->> 'name' and a.retired_at is null
       for share;
    if act.app is null then
        perform usher.refuse_not_installed(request ->> 'app', decode(request ->> 'digest', 'hex'), request ->> 'name');
    end if;
    select a.definition into app from usher.act a where a.app = act.app and a.digest = act.digest and a.kind = 'app' for share;
    perform usher.own_session(app);
    -- An action that nobody can run in this environment can't be requested there either.
    environment := usher.environment_for(act.kind, request ->> 'reason', open_action.is_dry);
    if is_requested then
        given := usher.arguments(jsonb_path_query_array(act.definition, '$.parameters[*] ? (@.secret == false)'), request -> 'arguments');
        return;
    end if;
    perform usher.refuse_forbidden(
        act.role, case act.kind when 'setting' then act.name else act.definition ->> 'command' end, request ->> 'request');
    given := usher.arguments(act.definition -> 'parameters', request -> 'arguments');
end
$$;

-- Locks the subjects of an action. With up to a hundred subjects, also locks the affected users. Returns null, or the locks if another
-- session holds one of them.
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

-- Runs an installed action: {id, app, digest, kind, name, keys, arguments, now, plan, dry, confirmed, reason, ticket}. {request} is the id
-- of the request that the action answers. With {moved}, the action runs even if the data changed after the request. Call this function
-- first in a transaction at REPEATABLE READ, then commit. The function uses generic plans: otherwise, Postgres would plan each statement
-- again in its first five executions.
create or replace function usher.run(request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
    is_dry constant boolean := coalesce((request ->> 'dry')::boolean, false);
    guarded constant jsonb := usher.open_transaction(request);
    opened record;
    act jsonb;
    at timestamptz;
    subjects text[];
    asked usher.operation;
    report jsonb;
    users text[];
    names jsonb;
    said jsonb;
begin
    select * into opened from usher.open_action(request, is_dry, false);
    act := (opened.act).definition;
    perform usher.refuse_alone(opened.act, opened.environment, request, is_dry);
    at := usher.instant(request ->> 'now');
    subjects := usher.keys(request -> 'keys', act ->> 'key_type');
    report := usher.lock_subjects((opened.act).app, opened.app, act, subjects, at, opened.given, guarded);
    if report is not null then return report; end if;
    perform usher.refuse_unknown_subjects(act, subjects, at, opened.given, request ->> 'plan');
    asked := usher.asked_for(
        request, opened.act, (opened.act).app, act ->> 'command',
        jsonb_build_object('kind', (opened.act).kind, 'name', (opened.act).name, 'arguments', usher.plain(act, opened.given)), subjects, at,
        opened.given, is_dry);
    report := usher.run_action(
        opened.app, act, subjects, at, opened.given,
        request || jsonb_build_object('guarded', guarded, 'asked', case when (request ->> 'moved')::boolean is not true
            then asked.payload -> 'asks' || jsonb_build_object('changed', usher.has_changed(opened.act, asked)) end));
    if report ->> 'outcome' = 'locked' then
        perform usher.refuse_beside(guarded);
        return report;
    end if;
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
    return report || jsonb_build_object('environment', opened.environment, 'now', at::text, 'names', names);
end
$$;
