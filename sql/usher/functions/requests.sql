-- Requests to another role, and the answers.

-- Requests the deletion of accounts, which an eraser does: {id, app, keys, dry, reason, ticket}. The deletion answers it and
-- forgets it.
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
begin
    perform usher.refuse_needless(command, role);
    select p.* into whom from usher.person(request ->> 'app', request -> 'keys') p;
    if whom.locks is not null then return jsonb_build_object('outcome', 'locked', 'locks', to_jsonb(whom.locks)); end if;
    perform usher.refuse_for_nobody(whom.keys);
    asks := jsonb_build_object('kind', 'deletion', 'keys', to_jsonb(whom.keys));
    perform usher.refuse_asked((whom.act).app, asks);
    if not is_dry then
        perform usher.record(
            (request ->> 'id')::uuid, 'request', 'committed', 'request', (whom.act).app, (whom.act).digest, null, null,
            usher.root_name((whom.act).definition), whom.keys,
            jsonb_build_object(
                'target', usher.labelled((whom.act).definition, '{"subject": "users"}', whom.keys, transaction_timestamp()),
                'users', to_jsonb(whom.keys), 'asks', asks || jsonb_build_object('command', command), 'reason', request -> 'reason', 'ticket', request -> 'ticket',
                'environment', environment));
        insert into usher.request (operation, role, of_two) values ((request ->> 'id')::uuid, role, false);
    end if;
    return jsonb_build_object(
        'outcome', case when is_dry then 'planned' else 'done' end, 'environment', environment,
        'now', transaction_timestamp()::text, 'subjects', to_jsonb(whom.keys), 'role', role);
end
$$;

-- A request for an action: who approves it, what would be done (`asks`), and the users whom it concerns. `busy` is the answer if somebody
-- else holds a lock. Secrets are given by the person who approves it.
create or replace function usher.ask_action(
    request jsonb, is_dry boolean, at timestamptz, guarded jsonb,
    out act usher.act, out app jsonb, out undone usher.operation, out definition jsonb, out environment text, out role text, out of_two boolean,
    out may_do boolean, out given jsonb, out subjects text[], out users text[], out asks jsonb, out busy jsonb
)
language plpgsql volatile
as $$
declare
    selections constant jsonb := coalesce(nullif(request -> 'selections', 'null'), '[]');
    found record;
begin
    select * into found from usher.find_act(request);
    act := found.act;
    app := found.app;
    definition := act.definition;
    environment := usher.environment_for(act.kind, request ->> 'reason', ask_action.is_dry);
    role := coalesce(definition ->> 'approve', act.role);
    of_two := definition ->> 'approve' is not null;
    may_do := usher.refuse_needless(definition ->> 'command', act.role, of_two and environment = 'production');
    perform usher.own_session(app);
    given := usher.arguments(jsonb_path_query_array(definition, '$.parameters[*] ? (@.secret == false)'), request -> 'arguments');
    subjects := '{}';
    users := '{}';
    if selections = '[]' then
        subjects := usher.keys(request -> 'keys', definition ->> 'key_type');
        if definition ->> 'subject' <> 'nothing' then
            perform usher.refuse_for_nobody(subjects);
            perform usher.refuse_strangers(definition, subjects, at, given, null);
        end if;
        busy := usher.lock_subjects(act.app, app, definition, subjects, at, given, ask_action.guarded);
        if busy is not null then return; end if;
        users := usher.affected_users(definition, subjects, at, given);
    else
        perform usher.selected(definition, selections, at, given);
    end if;
    asks := jsonb_build_object('kind', act.kind, 'name', act.name, 'arguments', given, 'selections', nullif(selections, '[]'), 'keys', to_jsonb(subjects));
end
$$;

-- The same of a request to undo an operation.
create or replace function usher.ask_undo(
    request jsonb, is_dry boolean,
    out act usher.act, out app jsonb, out undone usher.operation, out definition jsonb, out environment text, out role text, out of_two boolean,
    out may_do boolean, out given jsonb, out subjects text[], out users text[], out asks jsonb, out busy jsonb
)
language plpgsql volatile
as $$
begin
    select o.* into undone from usher.operation o where o.id = (ask_undo.request ->> 'operation')::uuid;
    if undone.kind = 'bulk' then
        perform usher.refuse_irrevocable_bulk(undone, ask_undo.request);
    else
        perform usher.refuse_irrevocable(undone, ask_undo.request);
    end if;
    definition := '{"command": "audit undo", "subject": "nothing", "parameters": []}';
    environment := usher.environment_for(usher.kind_of_undoing(undone), request ->> 'reason', ask_undo.is_dry);
    act := usher.act_of(undone);
    of_two := undone.undoes is not null and act.definition ->> 'approve' is not null;
    role := coalesce(case when of_two then act.definition ->> 'approve' end, usher.role_of(undone));
    may_do := usher.refuse_needless('audit undo', usher.role_of(undone), of_two and environment = 'production');
    given := '{}';
    subjects := '{}';
    users := coalesce(undone.subjects, '{}');
    app := usher.app_of(undone);
    perform usher.own_session(app);
    if undone.kind <> 'bulk' then
        perform usher.refuse_found(
            usher.changed_since(app, undone, usher.undo_steps(app, undone.id, null)), 'changed_since',
            'its rows were changed again later; nothing was undone');
    end if;
    asks := jsonb_build_object('kind', 'undo', 'undoes', undone.id);
end
$$;

-- A remark that names the first trigger or function that would reach outside the transaction if an action ran, as far as sources
-- tell; NULL if there is none. A role that may not run the action doesn't set one off by a preview.
create or replace function usher.reaching_outside(act jsonb) returns jsonb
language plpgsql stable
as $$
declare
    outside constant text :=
        '\m(http|http_(get|post|put|patch|delete|head)|dblink\w*|pg_background_launch)\s*\(|\m(net\.http_|aws_lambda)|\mcopy\M[^;]*\mprogram\M';
    calls constant text := '([a-z_][a-z0-9_]*)"?\s*\(';
begin
    return (
    with recursive
    relations (oid) as (
        select c.oid
          from jsonb_to_recordset(usher.targets(act)) as w (schema text, name text)
          join pg_namespace n on n.nspname = w.schema
          join pg_class c on c.relnamespace = n.oid and c.relname = w.name
         union
        select t.oid::oid
          from jsonb_each(usher.written(usher.targets(act))) r, jsonb_array_elements_text(r.value -> 'tables') t (oid)
         union
        -- A key changes the rows that refer to the written ones.
        select k.conrelid
          from relations r
          join pg_constraint k on k.contype = 'f' and k.confrelid = r.oid
                              and (k.confdeltype in ('c', 'n', 'd') or k.confupdtype in ('c', 'n', 'd'))
    ),
    statements as (select s.value -> 'sql' #>> '{}' as source from jsonb_array_elements(act -> 'steps') s),
    reached (oid, place) as (
        select t.tgfoid, format('%I.%I', n.nspname, c.relname)
          from relations r
          join pg_trigger t on t.tgrelid = r.oid and not t.tgisinternal and t.tgenabled in ('O', 'A')
          join pg_class c on c.oid = r.oid
          join pg_namespace n on n.oid = c.relnamespace
         union
        select p.oid, act ->> 'command'
          from statements s, regexp_matches(s.source, calls, 'gi') m
          join pg_proc p on p.proname = lower(m[1])
         union
        select p.oid, r.place
          from reached r
          join pg_proc f on f.oid = r.oid
         cross join regexp_matches(coalesce(pg_get_function_sqlbody(f.oid), f.prosrc), calls, 'gi') m
          join pg_proc p on p.proname = lower(m[1]) and p.pronamespace <> 'pg_catalog'::regnamespace
    )
    select jsonb_build_object('left', 'outside', 'table', f.place, 'names', f.name)
      from (select r.place, format('%I.%I', n.nspname, p.proname) as name
              from reached r
              join pg_proc p on p.oid = r.oid
              join pg_namespace n on n.oid = p.pronamespace
              join pg_language l on l.oid = p.prolang
              left join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
              left join pg_extension e on e.oid = d.refobjid and d.refclassid = 'pg_extension'::regclass
             where not l.lanpltrusted and l.lanname not in ('c', 'internal')
                or e.extname in ('http', 'dblink', 'pg_net', 'pg_background', 'aws_lambda')
                or l.lanname not in ('c', 'internal') and coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) ~* outside
             union all
            select act ->> 'command', act ->> 'command' from statements s where s.source ~* outside) f
     order by 1
     limit 1);
end
$$;

-- What a requester sees of an action: the refusals and warnings, the decisions about its users, and all its changes, really run and
-- rolled back as for its approver. Nothing is run if the approver still has to give a secret, or if something would reach outside the
-- transaction. The report also has what an approver's preview is compared with (`asks`).
create or replace function usher.preview_of_request(
    app jsonb, act jsonb, keys text[], users text[], at timestamptz, arguments jsonb, may_do boolean, guarded jsonb
) returns jsonb
language plpgsql volatile
as $$
declare
    judgement constant jsonb := usher.judged(act, preview_of_request.keys, at, arguments);
    standing constant jsonb := usher.standing(app, preview_of_request.users, at);
    has_secrets constant boolean := jsonb_path_exists(act, '$.parameters[*] ? (@.secret == true)');
    outside constant jsonb := case when not preview_of_request.may_do then usher.reaching_outside(act) end;
    asks jsonb := jsonb_build_object('world', usher.precondition_digest(
        app, act, preview_of_request.keys, at, arguments, judgement, standing, gen_random_uuid()::text));
    report jsonb := usher.nothing_done(
        'asked', (select coalesce(jsonb_agg(r.value order by r.key), '[]') from jsonb_each(judgement -> 'refused') r))
        || jsonb_build_object('warnings', judgement -> 'warnings', 'decisions', usher.decided(app, preview_of_request.users, standing, standing));
begin
    perform usher.refuse_beside(preview_of_request.guarded);
    if jsonb_array_length(report -> 'refused') >= greatest(cardinality(preview_of_request.keys), 1) then
        return report || '{"outcome": "refused"}';
    end if;
    if outside is not null then
        report := report || jsonb_build_object('remarks', jsonb_build_array(outside));
    elsif not has_secrets then
        report := usher.run_action(app, act, preview_of_request.keys, at, arguments,
                                jsonb_build_object('dry', true, 'guarded', preview_of_request.guarded));
        if report ->> 'outcome' <> 'planned' then return report; end if;
        if preview_of_request.may_do then asks := asks || jsonb_build_object('plan', report -> 'fingerprint'); end if;
    end if;
    return report || jsonb_build_object('outcome', 'asked', 'asks', asks);
end
$$;

-- Refuses to request the same again.
create or replace function usher.refuse_asked(app text, asks jsonb) returns void
language plpgsql stable
as $$
declare
    same uuid;
begin
    select r.operation into same
      from usher.request r
      join usher.operation o on o.id = r.operation
     where r.answer is null and o.app is not distinct from refuse_asked.app
       and (o.payload -> 'asks') - array['command', 'world', 'plan'] = jsonb_strip_nulls(refuse_asked.asks)
     limit 1;
    if same is not null then
        raise exception 'request % already asks for this', same
              using errcode = 'US006', detail = 'asked_already',
                    hint = format('`usher request show %s` shows it', same);
    end if;
end
$$;

-- Refuses a request about nobody.
create or replace function usher.refuse_for_nobody(keys text[]) returns void
language plpgsql immutable
as $$
begin
    if cardinality(refuse_for_nobody.keys) = 0 then
        raise exception 'the request names no user' using errcode = 'US002', detail = 'asked_for_nobody';
    end if;
end
$$;

-- Records a request, with what the requester saw (`report`) and what it asks for.
create or replace function usher.record_request(
    request jsonb, act usher.act, app jsonb, undone usher.operation, definition jsonb, subjects text[], users text[], given jsonb,
    report jsonb, asks jsonb
) returns void
language plpgsql volatile
as $$
declare
    names constant text := (select string_agg('--' || s.name, ' ' order by s.place)
                              from jsonb_array_elements_text(nullif(request -> 'selections', 'null')) with ordinality as s (name, place));
    target constant text := case when undone.id is null then names else concat_ws(' ', undone.command, undone.payload ->> 'target', undone.id) end;
    said constant jsonb := usher.ledger_payload(
        app, definition, report ->> 'environment', record_request.subjects, transaction_timestamp(), given, request);
begin
    perform usher.refuse_beside(request -> 'guarded');
    perform usher.record(
        (request ->> 'id')::uuid, 'request', 'committed', 'request', coalesce(undone.app, act.app), coalesce(undone.app_digest, act.digest), null, null,
        coalesce(undone.root, usher.root_name(record_request.app)), case when names is null then record_request.users end,
        said - 'final'
            || jsonb_build_object(
                   'asks', asks, 'users', case when record_request.users <> '{}' then to_jsonb(record_request.users) end,
                   'preview', jsonb_build_object(
                       'decisions', report -> 'decisions', 'warnings', jsonb_array_length(report -> 'warnings'),
                       'changes', jsonb_array_length(nullif(report -> 'changes', '[]'))))
            || case when target is null then '{}' else jsonb_build_object('target', target) end);
end
$$;

-- Requests an action that another role runs or that takes two people: {id, app, digest, kind, name, keys or selections, arguments, dry,
-- reason, ticket}; the undo of an operation: {id, operation, ...}; or a deletion, by the kind of that name. Returns the preview that
-- its approver sees. To be called like `usher.run`.
create or replace function usher.ask(request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    is_dry constant boolean := coalesce((request ->> 'dry')::boolean, false);
    at constant timestamptz := transaction_timestamp();
    selections constant jsonb := coalesce(nullif(request -> 'selections', 'null'), '[]');
    guarded constant jsonb := usher.open_transaction(request);
    found record;
    app text;
    standing jsonb;
    asks jsonb;
    report jsonb := usher.nothing_done('done') - 'subjects';
begin
    if request ->> 'kind' = 'deletion' then return usher.ask_deletion(request); end if;
    if request ->> 'operation' is null then
        select * into found from usher.ask_action(request, is_dry, at, guarded);
        if found.busy is not null then return found.busy; end if;
    else
        select * into found from usher.ask_undo(request, is_dry);
    end if;
    app := coalesce((found.undone).app, (found.act).app);
    asks := found.asks || jsonb_build_object('command', found.definition ->> 'command');
    perform usher.refuse_asked(app, found.asks);
    if (found.undone).id is null and selections = '[]' and cardinality(found.subjects) <= 100 then
        report := usher.preview_of_request(
            found.app, found.definition, found.subjects, found.users, at, found.given, found.may_do, guarded);
        if report ->> 'outcome' <> 'asked' then
            return report || jsonb_build_object('environment', found.environment, 'now', at::text);
        end if;
        asks := asks || (report -> 'asks');
        if report ? 'users' then found.users := array(select jsonb_array_elements_text(report -> 'users')); end if;
    elsif (found.undone).kind <> 'bulk' and cardinality(found.users) <= 100 then
        standing := usher.standing(found.app, found.users, at);
        report := report || jsonb_build_object('decisions', usher.decided(found.app, found.users, standing, standing));
    end if;
    report := report - 'asks' || jsonb_build_object(
        'outcome', case when is_dry then 'planned' else 'done' end, 'environment', found.environment, 'now', at::text,
        'subjects', to_jsonb(found.subjects), 'role', found.role, 'names', usher.named_users(found.app, found.users, at));
    if is_dry then
        perform usher.refuse_beside(guarded);
        return report;
    end if;
    perform usher.record_request(request || jsonb_build_object('guarded', guarded), found.act, found.app, found.undone, found.definition,
                                 found.subjects, found.users, found.given, report, asks);
    insert into usher.request (operation, role, of_two) values ((request ->> 'id')::uuid, found.role, found.of_two);
    return report;
end
$$;

-- Declines or withdraws a request: {id, request, answer, reason, ticket}. People who may approve it decline it, and only the
-- requester withdraws it. To be called like `usher.run`.
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
        raise exception 'the answer must be decline or withdraw' using errcode = 'US002', detail = 'no_answer';
    end if;
    select r.* into place from usher.request r where r.operation = (answer.request ->> 'request')::uuid for update;
    perform usher.refuse_answered(place, request ->> 'request');
    select o.* into asked from usher.operation o where o.id = place.operation;
    if way = 'withdraw' and asked.operator <> session_user then
        raise exception 'only %, who made the request, can withdraw it', asked.operator
              using errcode = 'US005', detail = 'not_the_asker';
    end if;
    if way = 'decline' then
        if asked.operator = session_user then
            raise exception 'you made this request yourself'
                  using errcode = 'US003', detail = 'own_request',
                        hint = format('`usher request withdraw %s` withdraws it', asked.id);
        end if;
        select a.* into act from usher.act a
         where a.app = asked.app and a.digest = asked.app_digest and a.kind = asked.payload -> 'asks' ->> 'kind'
           and a.name = asked.payload -> 'asks' ->> 'name';
        missing := usher.missing_role(place, act);
        if missing is not null then
            raise exception 'declining it needs the role %, which % doesn''t have', missing, session_user
                  using errcode = 'US005', detail = 'may_not_decline';
        end if;
    end if;
    perform usher.record(
        (request ->> 'id')::uuid, 'answer', 'committed', 'request ' || way, asked.app, null, null, null, asked.root, asked.subjects,
        jsonb_build_object('target', asked.payload -> 'target', 'users', asked.payload -> 'users', 'asked_by', asked.operator,
                           'reason', request -> 'reason', 'ticket', request -> 'ticket', 'environment', usher.environment_name()),
        request := asked.id);
    return jsonb_build_object('outcome', 'done', 'now', transaction_timestamp()::text);
end
$$;
