-- The functions that run actions. The subjects of an action are the users or objects on which it runs.

-- The operation that a chain of undos began with, and the number of undos up to this operation.
create or replace function usher.origin(operation usher.operation, out id uuid, out undos integer)
language sql stable
as $$
    with recursive chain (id, undoes, undos) as (
        select operation.id, operation.undoes, 0
         union all
        select o.id, o.undoes, c.undos + 1 from chain c join usher.operation o on o.id = c.undoes
    )
    select c.id, c.undos from chain c order by c.undos desc limit 1
$$;

-- The action of an operation. For an undo, this is the action of the undone operation. Null if the table `act` doesn't have the action.
create or replace function usher.act_of(operation usher.operation) returns usher.act
language sql stable
as $$
    select a
      from usher.origin(operation) f
      join usher.operation o on o.id = f.id
      join usher.act a on a.app = o.app and a.digest = o.app_digest and a.definition ->> 'command' = o.command
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

-- A request, with its record; locks the request. So a second answer waits, and then sees that the request already has an answer. Refuses a
-- request that doesn't exist or has an answer.
create or replace function usher.open_request(id text, out place usher.request, out asked usher.operation)
language plpgsql volatile
as $$
begin
    select r.* into place from usher.request r where r.operation = open_request.id::uuid for update;
    if place.operation is null then
        raise exception 'there is no request %', open_request.id
              using errcode = 'US004', detail = 'no_request',
                    hint = '`usher request list --all` lists all requests';
    end if;
    if place.answer is not null then
        raise exception 'request % is already answered', place.operation
              using errcode = 'US006', detail = 'answered',
                    hint = format('`usher request show %s` shows the answer', place.operation);
    end if;
    select o.* into asked from usher.operation o where o.id = place.operation;
end
$$;

-- The request that an opened change answers; null if it answers no request. Refuses the change if the operator can't approve the request,
-- or if the request describes a different change. The member `changed` of the result's `asks` is true if another version of the action was
-- installed after the request.
--
-- An approval must run the change for all users of the request, because nobody would run it later for the others.
create or replace function usher.asked_for(request jsonb, opened usher.opened) returns usher.operation
language plpgsql volatile
as $$
declare
    wanted jsonb;
    command constant text := (opened.definition).command;
    own record;
    asked usher.operation;
    asks jsonb;
    chosen text[];
    missing text;
    has_changed boolean;
begin
    if request ->> 'request' is null then return null; end if;
    wanted := usher.wanted(opened, request);
    select * into own from usher.open_request(request ->> 'request');
    asked := own.asked;
    missing := usher.missing_role(own.place, asked);
    if missing is not null then
        raise exception 'approving `%` needs the role %, which % doesn''t have', command, missing, session_user
              using errcode = 'US005', detail = 'may_not_approve';
    end if;
    if asked.operator = session_user and ((own.place).of_two or opened.approver is not null) then
        raise exception '`%` needs two people: you made the request, so another operator must approve it', command
              using errcode = 'US003', detail = 'takes_another';
    end if;
    asks := asked.payload -> 'asks';
    chosen := array(select jsonb_array_elements_text(asks -> 'keys'));
    if asks ->> 'selections' is not null and wanted ->> 'selections' is null and (opened.undone).id is null then
        chosen := usher.selected(opened.definition, asks -> 'selections', opened.at, opened.given);
        asks := asks - 'selections';
    end if;
    if asked.app is distinct from coalesce((opened.undone).app, (opened.act).app)
       or jsonb_strip_nulls(asks - array['keys', 'command', 'plan', 'hidden']) is distinct from jsonb_strip_nulls(wanted)
       or (opened.undone).id is null and wanted ->> 'selections' is null and not (opened.subjects <@ chosen and chosen <@ opened.subjects) then
        raise exception 'this command differs from the command in request %', asked.id
              using errcode = 'US003', detail = 'other_request', hint = format('`usher request show %s` shows the requested command', asked.id);
    end if;
    has_changed := exists (
        select from usher.act a
         where a.app = asked.app and a.digest = asked.app_digest and a.kind = asks ->> 'kind' and a.name = asks ->> 'name'
           and a.definition - array['listed', 'owners', 'named'] <> (opened.act).definition - array['listed', 'owners', 'named']);
    if has_changed and not opened.is_dry and request -> 'moved' is distinct from 'true' then
        raise exception 'the action `%` was changed in the installed app file after request % was made', command, asked.id
              using errcode = 'US006', detail = 'moved', hint = format('run `usher request decline %s`, and ask the requester for a new request', asked.id);
    end if;
    asked.payload := jsonb_set(asked.payload, '{asks,changed}', to_jsonb(has_changed));
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

-- Changes the rows of an action, and returns the changes. With `once`, one statement updates the rows and records the changes; the result has
-- only their number (see `run_at_once`).
create or replace function usher.change_rows(
    app jsonb, act usher.action, relations jsonb, keys text[], at timestamptz, arguments jsonb, terms jsonb, once usher.single_update
) returns jsonb
language plpgsql volatile
as $$
declare
    done jsonb;
begin
    if once.operation is not null then
        -- The statement checks its own writes; this checks the queries of the app before it.
        perform usher.refuse_beside(terms -> 'guarded');
        return '{"changes": [], "objections": [], "warnings": []}' || jsonb_build_object('changed', usher.run_at_once(
            app, once.shape, usher.update_statement(act.steps -> 0, once.shape, once.usual, true), at, change_rows.keys, arguments,
            once.operation) -> 'changed');
    end if;
    done := coalesce(
        usher.changes_at_once(app, act, relations, change_rows.keys, at, arguments),
        usher.changes(app, act, relations, change_rows.keys, at, arguments, coalesce((terms ->> 'tolerant')::boolean, false)));
    return done || case when act.pieces is not null then usher.restored(act.pieces, terms -> 'was', done) else '{}' end;
end
$$;

-- Runs an action on some subjects and returns a report. If the outcome is not `done`, the caller rolls the action back. With the outcome
-- `again`, the caller repeats the action without the subjects in `objections`, or with locks on more users (`later`). An action can move a
-- subject to another user, so the report contains the users from before and after the action.
create or replace function usher.try_action(
    app jsonb, act usher.action, relations jsonb, keys text[], later text[], at timestamptz, arguments jsonb, terms jsonb, once usher.single_update
) returns jsonb
language plpgsql volatile
as $$
declare
    users text[] := usher.users(act, try_action.keys, at, arguments);
    about constant jsonb := usher.promised_outcomes(act, try_action.keys, at, arguments);
    concerned text[] := usher.affected_users(act, try_action.keys, at, arguments);
    impacts constant jsonb := usher.impacts(act, at, arguments);
    subjects text[];
    since text[];
    before jsonb;
    after jsonb;
    done jsonb;
    unkept jsonb;
begin
    concerned := concerned || array(select l.key from unnest(later) l (key) where l.key <> all (concerned));
    -- A batch that runs as one statement compares no decisions.
    if once.operation is null then before := usher.standing(app, concerned, at); end if;
    done := usher.change_rows(app, act, relations, try_action.keys, at, arguments, terms, once);
    if not done ? 'changes' then
        return jsonb_build_object('outcome', 'again', 'objections', jsonb_path_query_array(done, '$.objections[*] ? (exists (@.error))'));
    end if;
    if done ? 'outcome' then return done; end if;
    -- If the action ran for each subject separately, usher may have refused some of the subjects.
    subjects := usher.without(try_action.keys, done -> 'objections');
    if cardinality(subjects) = 0 and act.subject <> 'nothing' then return usher.nothing_done('refused', done -> 'objections'); end if;
    if act.owners is not null then
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
    after := usher.standing(app, concerned, at);
    if done -> 'objections' <> '[]' then users := usher.users(act, subjects, at, arguments); end if;
    unkept := usher.unkept(act, users, subjects, about, after);
    if unkept <> '[]' and act.subject = 'users' and jsonb_array_length(unkept) < cardinality(subjects) then
        return jsonb_build_object('outcome', 'again', 'objections', unkept);
    elsif unkept <> '[]' then
        return usher.nothing_done('refused', unkept);
    end if;
    return jsonb_build_object(
        'outcome', 'done', 'subjects', to_jsonb(subjects), 'users', to_jsonb(concerned), 'changes', done -> 'changes', 'others', done -> 'others',
        'remarks', coalesce(done -> 'remarks', '[]'), 'warnings', done -> 'warnings', 'refused', done -> 'objections',
        'decisions', case when once.operation is null then usher.decided(app, concerned, before, after) else '[]' end,
        'impacts', usher.impacts(act, at, arguments, impacts))
        || case when done ? 'changed' then jsonb_build_object('changed', done -> 'changed') else '{}' end;
end
$$;

-- Adds the fingerprint and the final outcome to the report of an action that ran. The fingerprint is a digest for comparing a change with
-- its preview. The outcome is `done` only if the action is not a dry run, changed rows, and has the same fingerprint as its preview. If the
-- action differs from the preview of its request, the function raises an error, except in a dry run or if the operator accepts the
-- difference.
create or replace function usher.settled(report jsonb, act usher.action, at timestamptz, terms jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    rows constant integer := coalesce((report ->> 'changed')::integer, jsonb_array_length(report -> 'changes'));
    fingerprint constant text := usher.fingerprint(report, at, coalesce(split_part(terms ->> 'plan', ':', 1), gen_random_uuid()::text));
    asked constant jsonb := nullif(terms -> 'asked', 'null');
    has_moved constant boolean := asked is not null and (coalesce((asked ->> 'changed')::boolean, false) or coalesce(asked ->> 'plan' <> usher.fingerprint(
        case when asked ? 'hidden' then report else usher.report_before(report) end, at, split_part(asked ->> 'plan', ':', 1), asked -> 'hidden'), false));
    outcome constant text := case when terms ->> 'plan' <> fingerprint then 'changed'
                                  when (terms ->> 'dry')::boolean then 'planned'
                                  when rows = 0 then 'nothing' else 'done' end;
begin
    if has_moved and (terms ->> 'dry')::boolean is not true then
        raise exception 'the data changed after request % was made, so the change differs from the preview of the request', terms #>> '{request}'
              using errcode = 'US006', detail = 'moved';
    end if;
    if outcome = 'done' and rows > act.ceiling and not coalesce((terms ->> 'confirmed')::boolean, false) then
        raise exception 'this action changes % rows, but its limit is % rows; to exceed the limit, confirm it as a severe change', rows, act.ceiling
              using errcode = 'US009', detail = 'over_ceiling';
    end if;
    return report || jsonb_build_object('fingerprint', fingerprint, 'outcome', outcome, 'moved', has_moved);
end
$$;

-- Remarks on subjects as an object by key; a remark without a key has the key ''.
create or replace function usher.by_key(remarks jsonb) returns jsonb
language sql immutable
as $$ select coalesce(jsonb_object_agg(coalesce(r.value ->> 'key', ''), r.value), '{}') from jsonb_array_elements(remarks) r $$;

-- The remarks of an object by key as a list, in the order of the subjects.
create or replace function usher.in_order(remarks jsonb, keys text[]) returns jsonb
language sql immutable set enable_hashjoin = on
as $$
    select coalesce(jsonb_agg(r.value order by k.place nulls first), '[]')
      from jsonb_each(remarks) r
      left join unnest(in_order.keys) with ordinality as k (key, place) on k.key = r.key
$$;

-- Runs an action on some subjects and returns a report. Skips refused subjects and lists them in the report. Rolls the action back if the
-- final outcome is not `done`.
--
-- The members of `terms`: `dry` is true for a dry run. `plan` is the fingerprint of the preview. `asked` describes the request that the
-- action answers; its member `changed` is true if another version of the action was installed after the request. `confirmed` is true if the
-- operator confirmed a severe change. With `tolerant`, the action doesn't fail if all subjects are refused. `guarded` has the row counts
-- before the action, and `was` the rows before an undo. For `once`, see `batch_at_once`. It contains SQL, and a caller can add any member
-- to a request, so it is not one of the terms.
create or replace function usher.run_action(
    app jsonb, act usher.action, keys text[], at timestamptz, arguments jsonb, terms jsonb, once usher.single_update default null
) returns jsonb
language plpgsql volatile
as $$
declare
    relations constant jsonb := usher.writable_relations(act.steps);
    judgement jsonb := '{"refused": {}, "warnings": []}';
    -- usher refuses subjects by conditions of the app file, and by errors of an earlier run.
    refusals jsonb;
    subjects text[];
    later text[] := '{}';
    report jsonb;
begin
    if act.each is null then judgement := usher.judged(act, run_action.keys, at, arguments); end if;
    refusals := judgement -> 'refused';
    loop
        subjects := array(select k.key from unnest(run_action.keys) with ordinality as k (key, place)
                           where (refusals ? k.key) is not true order by k.place);
        if cardinality(subjects) = 0 and (act.subject <> 'nothing' or refusals <> '{}') then
            return usher.nothing_done(
                case when refusals = '{}' then 'nothing' else 'refused' end, usher.in_order(refusals, run_action.keys));
        end if;
        if later <> '{}' then
            report := usher.lock_keys(null, app -> 'root', 'users', null, later);
            if report is not null then return report; end if;
        end if;
        begin
            report := usher.try_action(app, act, relations, subjects, later, at, arguments, terms, once);
            if report ->> 'outcome' = 'done' then
                report := report || jsonb_build_object(
                    'warnings', (judgement -> 'warnings') || (report -> 'warnings'),
                    'refused', usher.in_order(refusals || usher.by_key(report -> 'refused'), run_action.keys));
                -- A statement that records its own changes checks the other writes itself.
                if not report ? 'changed' then perform usher.refuse_beside(terms -> 'guarded'); end if;
                report := usher.settled(report, act, at, terms);
                if report ->> 'outcome' = 'done' then return report; end if;
            end if;
            raise sqlstate 'UA003';
        exception
            when sqlstate 'UA003' then
                if report ->> 'outcome' = 'refused' then
                    report := report || jsonb_build_object(
                        'refused', usher.in_order(refusals || usher.by_key(report -> 'refused'), run_action.keys));
                end if;
                if report ->> 'outcome' <> 'again' then return report; end if;
                -- The rolled-back statement recorded changes, and the server still counts these rows.
                if once.operation is not null then terms := terms || jsonb_build_object('guarded', usher.guarded()); end if;
                refusals := refusals || usher.by_key(coalesce(report -> 'objections', '[]'));
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

-- Opens the undo of an operation (see `open_change`).
create or replace function usher.open_undo(operation text) returns usher.opened
language plpgsql volatile
as $$
declare
    opened usher.opened;
begin
    select o into opened.undone from usher.operation o where o.id = open_undo.operation::uuid;
    perform usher.refuse_irrevocable(opened.undone, open_undo.operation);
    opened.app := usher.app_of(opened.undone);
    opened.definition := jsonb_populate_record(null::usher.action, '{"command": "audit undo", "subject": "nothing", "parameters": []}');
    opened.needed := usher.role_of(opened.undone);
    opened.act := usher.act_run_again(opened.undone);
    return opened;
end
$$;

-- Opens the action of a request (see `open_change`). Locks the rows of the action and of its app. If one of these rows changed after the
-- transaction took its snapshot, the server raises 40001, and the caller must begin a new transaction.
create or replace function usher.open_action(request jsonb) returns usher.opened
language plpgsql volatile
as $$
declare
    opened usher.opened;
begin
    select a into opened.act
      from usher.act a
     where a.app = request ->> 'app' and a.digest = decode(request ->> 'digest', 'hex')
       and a.kind = request ->> 'kind' and a.kind <> 'app' and a.name = request ->> 'name' and a.retired_at is null
       for share;
    if (opened.act).app is null then
        perform usher.refuse_not_installed(request ->> 'app', decode(request ->> 'digest', 'hex'), request ->> 'name');
    end if;
    select a.definition into opened.app
      from usher.act a where a.app = (opened.act).app and a.digest = (opened.act).digest and a.kind = 'app' for share;
    opened.definition := jsonb_populate_record(null::usher.action, (opened.act).definition);
    opened.needed := (opened.act).role;
    return opened;
end
$$;

-- Opens a requested change: an installed action, or the undo of the operation `undoes`. Returns the change with its app, environment and
-- arguments. Refuses the change if the operator can't run it in this environment. An operator who only requests the change
-- (`is_requested`) doesn't need the role, and enters no secrets. If the operator resumes a bulk change, or if the change is a batch
-- (`is_resumed`), `usher.batch` checks the second person. A deletion can only be requested here; `find_users` finds its app.
create or replace function usher.open_change(
    request jsonb, undoes text, at timestamptz, is_requested boolean default false, is_resumed boolean default false
) returns usher.opened
language plpgsql volatile
as $$
declare
    opened usher.opened;
    kind text;
begin
    if is_requested and request ->> 'kind' = 'deletion' then
        kind := 'erasure';
        opened.definition := jsonb_populate_record(
            null::usher.action, '{"command": "account delete", "subject": "users", "key_type": "text", "parameters": []}');
        opened.needed := 'usher_eraser';
    elsif undoes is null then
        opened := usher.open_action(request);
        kind := (opened.act).kind;
    else
        -- A request doesn't record users to skip, so its undo has none.
        if (is_requested or request ->> 'request' is not null) and jsonb_path_exists(request, '$.except[*]') then
            raise exception 'the undo of a request can''t skip users' using errcode = 'US003', detail = 'excepted_request',
                  hint = 'request the undo of the whole operation; only an operator with the role of the action can skip users';
        end if;
        opened := usher.open_undo(undoes);
        kind := coalesce((opened.act).kind, 'undo');
    end if;
    opened.at := open_change.at;
    opened.is_dry := coalesce((request ->> 'dry')::boolean, false);
    opened.approver := usher.approver_of(opened.act);
    if opened.app is not null then perform usher.own_session(opened.app); end if;
    -- An action that nobody can run in this environment can't be requested there either.
    opened.environment := usher.environment_for(kind, request ->> 'reason', opened.is_dry);
    if not is_requested then
        perform usher.refuse_forbidden(
            opened.needed, case kind when 'setting' then (opened.act).name else (opened.definition).command end, request ->> 'request');
        if not is_resumed then perform usher.refuse_alone(opened.act, opened.environment, request, opened.is_dry); end if;
    end if;
    opened.given := usher.arguments(
        case when is_requested then jsonb_path_query_array((opened.definition).parameters, '$[*] ? (@.secret == false)')
             else (opened.definition).parameters end, request -> 'arguments');
    opened.subjects := usher.keys(request -> 'keys', (opened.definition).key_type);
    return opened;
end
$$;

-- The change as the record of a request describes it: {kind, name, arguments, selections, undoes}.
create or replace function usher.wanted(opened usher.opened, request jsonb) returns jsonb
language sql stable
as $$
    select case when (opened.undone).id is not null then jsonb_build_object('kind', 'undo', 'undoes', (opened.undone).id)
                when opened.needed = 'usher_eraser' then '{"kind": "deletion"}'
                else jsonb_build_object(
                    'kind', (opened.act).kind, 'name', (opened.act).name, 'arguments', usher.plain(opened.definition, opened.given),
                    'selections', nullif(nullif(request -> 'selections', 'null'), '[]')) end
$$;

-- Locks the subjects of an action. With up to a hundred subjects, also locks the affected users. Returns null, or the locks if another
-- session holds one of them.
create or replace function usher.lock_subjects(
    name text, app jsonb, act usher.action, keys text[], at timestamptz, arguments jsonb, guarded jsonb
) returns jsonb
language plpgsql volatile
as $$
declare
    busy constant jsonb := usher.lock_keys(
        lock_subjects.name, app -> 'root', act.subject, act.noun, lock_subjects.keys,
        case when act.subject = 'users' and act.named is null or cardinality(lock_subjects.keys) > 100 then '{}'
             else usher.affected_users(act, lock_subjects.keys, at, arguments) end);
begin
    if busy is not null then perform usher.refuse_beside(lock_subjects.guarded); end if;
    return busy;
end
$$;

-- Records an action that ran, and returns its report with the names of the affected users.
create or replace function usher.finish_run(request jsonb, opened usher.opened, asked usher.operation, report jsonb, guarded jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    users constant text[] := array(select jsonb_array_elements_text(report -> 'users'));
    names constant jsonb := usher.named_users(opened.app, users, opened.at);
    said constant jsonb := case when report ->> 'outcome' = 'done' then
        usher.ledger_payload(
            opened.app, opened.definition, opened.environment, array(select jsonb_array_elements_text(report -> 'subjects')), opened.at,
            opened.given, request)
        || jsonb_build_object('asked_by', asked.operator, 'beside', nullif(report -> 'others', 'null'),
                              'decisions', usher.changed_decisions(report -> 'decisions')) end;
begin
    -- The queries for names and emails must not write either.
    perform usher.refuse_beside(finish_run.guarded);
    if said is not null then
        perform usher.record(
            (request ->> 'id')::uuid, 'change', 'committed', (opened.definition).command, (opened.act).app, (opened.act).digest, null, null,
            usher.root_name(opened.app), users, said, report -> 'changes', asked.id);
    end if;
    return report || jsonb_build_object('environment', opened.environment, 'now', opened.at::text, 'names', names);
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
    guarded constant jsonb := usher.open_transaction(request);
    opened constant usher.opened := usher.open_change(request, null, usher.instant(request ->> 'now'));
    asked usher.operation;
    report jsonb;
begin
    report := usher.lock_subjects((opened.act).app, opened.app, opened.definition, opened.subjects, opened.at, opened.given, guarded);
    if report is not null then return report; end if;
    perform usher.refuse_unknown_subjects(opened.definition, opened.subjects, opened.at, opened.given, request ->> 'plan');
    -- A single run has only the subjects in `keys`. If it could name selections, the keys would not be compared with the request.
    asked := usher.asked_for(request - 'selections', opened);
    report := usher.run_action(
        opened.app, opened.definition, opened.subjects, opened.at, opened.given,
        request || jsonb_build_object(
            'guarded', guarded, 'asked', case when (request ->> 'moved')::boolean is not true then asked.payload -> 'asks' end));
    if report ->> 'outcome' = 'locked' then
        perform usher.refuse_beside(guarded);
        return report;
    end if;
    return usher.finish_run(request, opened, asked, report, guarded);
end
$$;
