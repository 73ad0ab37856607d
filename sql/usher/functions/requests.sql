-- The functions that request a change from another role, and answer requests.

-- Prepares a request for the deletion of accounts, with the same output parameters as `ask_action`. A member of usher_eraser approves the
-- request. The deletion answers the request and erases its payload.
create or replace function usher.ask_deletion(
    request jsonb, is_dry boolean,
    out act usher.act, out app jsonb, out undone usher.operation, out definition jsonb, out environment text, out role text, out of_two boolean,
    out may_do boolean, out given jsonb, out subjects text[], out users text[], out asks jsonb, out busy jsonb
)
language plpgsql volatile
as $$
declare
    whom record;
begin
    definition := '{"command": "account delete", "subject": "users", "parameters": []}';
    environment := usher.environment_for('erasure', request ->> 'reason', ask_deletion.is_dry);
    role := 'usher_eraser';
    of_two := false;
    may_do := usher.refuse_needless(definition ->> 'command', role);
    given := '{}';
    select p.* into whom from usher.lock_users(request ->> 'app', request -> 'keys') p;
    if whom.locks is not null then busy := jsonb_build_object('outcome', 'locked', 'locks', to_jsonb(whom.locks)); end if;
    act := whom.act;
    app := act.definition;
    subjects := whom.keys;
    users := whom.keys;
    asks := jsonb_build_object('kind', 'deletion', 'keys', to_jsonb(subjects));
end
$$;

-- Prepares a request for an action: the role that approves the request, the requested change (`asks`), and the affected users. If another
-- session holds a lock, `busy` has the result to return. The approver enters the secret arguments, not the requester.
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
    select * into found from usher.open_action(request, is_dry, true);
    act := found.act;
    app := found.app;
    definition := act.definition;
    environment := found.environment;
    given := found.given;
    role := coalesce(definition ->> 'approve', act.role);
    of_two := definition ->> 'approve' is not null;
    may_do := usher.refuse_needless(definition ->> 'command', act.role, of_two and environment = 'production');
    subjects := '{}';
    users := '{}';
    if selections = '[]' then
        subjects := usher.keys(request -> 'keys', definition ->> 'key_type');
        perform usher.refuse_unknown_subjects(definition, subjects, at, given, null);
        busy := usher.lock_subjects(act.app, app, definition, subjects, at, given, ask_action.guarded);
        if busy is not null then return; end if;
        users := usher.affected_users(definition, subjects, at, given);
    else
        perform usher.selected(definition, selections, at, given);
    end if;
    asks := jsonb_build_object('kind', act.kind, 'name', act.name, 'arguments', given, 'selections', nullif(selections, '[]'), 'keys', to_jsonb(subjects));
end
$$;

-- Prepares a request for the undo of an operation, with the same output parameters as `ask_action`.
create or replace function usher.ask_undo(
    request jsonb, is_dry boolean,
    out act usher.act, out app jsonb, out undone usher.operation, out definition jsonb, out environment text, out role text, out of_two boolean,
    out may_do boolean, out given jsonb, out subjects text[], out users text[], out asks jsonb, out busy jsonb
)
language plpgsql volatile
as $$
begin
    select o.* into undone from usher.operation o where o.id = (ask_undo.request ->> 'operation')::uuid;
    perform usher.refuse_irrevocable(undone, ask_undo.request);
    definition := '{"command": "audit undo", "subject": "nothing", "parameters": []}';
    environment := usher.environment_for(usher.kind_of_undoing(undone), request ->> 'reason', ask_undo.is_dry);
    act := usher.act_of(undone);
    role := case when undone.undoes is not null then usher.approver_of(act) end;
    of_two := role is not null;
    role := coalesce(role, usher.role_of(undone));
    may_do := usher.refuse_needless('audit undo', usher.role_of(undone), of_two and environment = 'production');
    given := '{}';
    subjects := '{}';
    users := coalesce(undone.subjects, '{}');
    app := usher.app_of(undone);
    perform usher.own_session(app);
    if undone.kind <> 'bulk' and may_do then
        perform usher.undo_rows(
            jsonb_build_object('dry', true, 'guarded', usher.guarded()), undone, app, environment, null,
            usher.keys(undone.payload -> 'users', coalesce(app ->> 'key_type', 'text')), transaction_timestamp());
    elsif undone.kind <> 'bulk' then
        -- Without the role for the undo, the requester can't run statements with effects that a rollback doesn't undo.
        perform usher.refuse_unlike(
            jsonb_path_query_array(
                usher.unlike_rows(usher.current_rows(usher.undo_steps(app, undone.id, null) -> 'pieces')), '$[*] ? (@.restored == false)'),
            'changed_since', 'later changes overwrote rows of this operation; nothing was requested');
    end if;
    asks := jsonb_build_object('kind', 'undo', 'undoes', undone.id);
end
$$;

-- The tables in which an action may change rows: the tables in its statements, their partitions and inheriting tables, and the targets of
-- cascades.
create or replace function usher.changeable(act jsonb) returns setof oid
language sql stable
as $$
    with recursive
    relations (oid) as (
        select c.oid
          from jsonb_to_recordset(jsonb_path_query_array(act, '$.steps[*].targets[*]')) as w (schema text, name text)
          join pg_namespace n on n.nspname = w.schema
          join pg_class c on c.relnamespace = n.oid and c.relname = w.name
         union
        select coalesce(k.conrelid, i.inhrelid)
          from relations r
          left join pg_constraint k on k.confrelid = r.oid and concat(k.confdeltype, k.confupdtype) ~ '[cnd]'
          left join pg_inherits i on k.oid is null and i.inhparent = r.oid
         where k.oid is not null or i.inhrelid is not null
    )
    select r.oid from relations r
$$;

-- Returns a remark with the first statement or trigger of an action that may have effects that a rollback doesn't undo. Returns null if all
-- statements and triggers are safe. Only then can a requester without the role of the action preview the action.
--
-- A statement of the action is safe if it names no view, foreign table or function, except harmless functions of the server and of some
-- extensions. A trigger function must also be in PL/pgSQL and run no SQL command. The rules, defaults, constraints, indexes and policies of
-- the tables must be safe too. So a preview calls no function that could contain dynamic SQL.
create or replace function usher.unconfined(act jsonb) returns jsonb
language sql stable
as $$
    with
    tables (oid) as materialized (select usher.changeable(act)),
    named (name) as materialized (
        select p.proname
          from pg_proc p
         where p.pronamespace <> 'usher'::regnamespace and (p.provolatile = 'v' or p.pronamespace <> 'pg_catalog'::regnamespace)
           and not (p.pronamespace = 'pg_catalog'::regnamespace
                    and p.proname = any ('{clock_timestamp,currval,gen_random_uuid,lastval,nextval,random,timeofday}'))
           and not exists (select from pg_depend d join pg_extension e on e.oid = d.refobjid
                            where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
                              and e.extname = any ('{citext,hstore,ltree,pg_trgm,pgcrypto,unaccent,uuid-ossp}'))
         union all
        select c.relname from pg_class c where c.relkind in ('f', 'm', 'v') and c.relnamespace <> 'pg_catalog'::regnamespace
    ),
    sources (place, name, commands, text) as (
        select act ->> 'command', act ->> 'command', '\m(copy|do(?!\s+(nothing|update)))\M', s.value ->> 'sql'
          from jsonb_array_elements(act -> 'steps') s
         union all
        select t.tgrelid::regclass::text, t.tgfoid::regproc::text,
               '\m(alter|call|copy|create|delete|do|drop|execute|import|insert|load|merge|prepare|refresh|truncate|update)\M',
               case when l.lanname = 'plpgsql' then concat(p.prosrc, substring(pg_get_triggerdef(t.oid) from '\sWHEN (.*)\sEXECUTE FUNCTION ')) else 'call' end
          from tables r
          join pg_trigger t on t.tgrelid = r.oid and not t.tgisinternal and t.tgenabled <> 'D'
          join pg_proc p on p.oid = t.tgfoid
          join pg_language l on l.oid = p.prolang
         union all
        select r.oid::regclass::text, r.oid::regclass::text, '\m(call|do)\M', concat_ws(' ',
               (select 'call' from pg_class c where c.oid = r.oid and c.relkind not in ('r', 'p')),
               (select string_agg(pg_get_ruledef(w.oid), ' ') from pg_rewrite w where w.ev_class = r.oid),
               (select string_agg(pg_get_expr(d.adbin, r.oid), ' ') from pg_attrdef d where d.adrelid = r.oid),
               (select string_agg(concat_ws(' ', pg_get_expr(p.polqual, r.oid), pg_get_expr(p.polwithcheck, r.oid)), ' ') from pg_policy p
                 where p.polrelid = r.oid and row_security_active(r.oid)),
               (select string_agg(concat_ws(' ', pg_get_expr(i.indexprs, r.oid), pg_get_expr(i.indpred, r.oid)), ' ') from pg_index i where i.indrelid = r.oid),
               (select string_agg(pg_get_constraintdef(k.oid), ' ') from pg_constraint k
                 where k.contype = 'c' and (k.conrelid = r.oid or k.contypid in (select a.atttypid from pg_attribute a where a.attrelid = r.oid))))
          from tables r
         union all
        select act ->> 'command', f.oid::regproc::text, null, f.oid::regproc::text
          from (select 'pg_operator'::regclass, o.oid, o.oprcode::oid from pg_operator o
                 union all
                select 'pg_cast'::regclass, c.oid, c.castfunc from pg_cast c where c.castfunc <> 0) as f (catalog, object, oid)
         where f.object >= 16384
           and not exists (select from pg_depend d where d.classid = f.catalog and d.objid = f.object and d.deptype = 'e')
    )
    select jsonb_build_object('left', 'outside', 'table', s.place, 'names', s.name)
      from sources s
     where s.text ~* s.commands or s.text ~* '\musher\M|_to_xml|\mu&["'']'
        or exists (select from regexp_matches(lower(s.text), '[a-z0-9_$]+', 'g') m join named n on n.name = m[1])
        or exists (select from named n where n.name !~ '^[a-z0-9_$]+$' and strpos(replace(s.text, '""', '"'), n.name) > 0)
     order by s.place, s.name
     limit 1
$$;

-- The preview for a requester: the refusals and warnings, the decisions about the users, and all changes. usher runs the action and rolls
-- it back. It doesn't run an action that needs a secret from the approver, or that may have effects that a rollback doesn't undo. If the
-- requester doesn't have the role, columns that the requester can't read count as secrets. The report also has a digest to compare with the
-- approver's preview. The digest doesn't cover the columns in `hidden`. If the report has no `hidden`, the action did not run.
create or replace function usher.preview_of_request(
    app jsonb, act jsonb, keys text[], users text[], at timestamptz, arguments jsonb, may_do boolean, guarded jsonb
) returns jsonb
language plpgsql volatile
as $$
declare
    judgement constant jsonb := usher.judged(act, preview_of_request.keys, at, arguments);
    standing constant jsonb := usher.standing(app, preview_of_request.users, at);
    -- Key columns don't count as secrets.
    hidden constant jsonb := (
        select coalesce(jsonb_agg(format('%s.%I', c.oid::regclass, a.attname)), '[]')
          from usher.changeable(act) r (oid)
          join pg_class c on c.oid = r.oid
          join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
         where not may_do and not has_column_privilege(session_user, c.oid, a.attnum, 'select')
           and coalesce(a.attnum <> all (usher.key_numbers(c.oid)), true));
    has_secrets constant boolean := jsonb_path_exists(act, '$.parameters[*] ? (@.secret == true)');
    outside constant jsonb := case when not preview_of_request.may_do then usher.unconfined(act) end;
    salt constant text := gen_random_uuid()::text;
    asks jsonb;
    report jsonb := usher.nothing_done(
        'asked', (select coalesce(jsonb_agg(r.value order by r.key), '[]') from jsonb_each(judgement -> 'refused') r))
        || jsonb_build_object('warnings', judgement -> 'warnings', 'decisions', usher.decided(app, preview_of_request.users, standing, standing));
begin
    perform usher.refuse_beside(preview_of_request.guarded);
    if jsonb_array_length(report -> 'refused') >= greatest(cardinality(preview_of_request.keys), 1) then
        return report || '{"outcome": "refused"}';
    end if;
    if outside is not null then report := report || jsonb_build_object('remarks', jsonb_build_array(outside)); end if;
    if outside is not null or has_secrets then
        asks := jsonb_build_object('plan', usher.fingerprint(usher.report_before(report), at, salt));
    else
        report := usher.run_action(
            app || jsonb_build_object('secrets', (app -> 'secrets') || hidden), act, preview_of_request.keys, at, arguments,
            jsonb_build_object('dry', true, 'guarded', preview_of_request.guarded));
        if report ->> 'outcome' <> 'planned' then return report; end if;
        asks := jsonb_build_object('plan', usher.fingerprint(report, at, salt, hidden), 'hidden', hidden);
    end if;
    return report || jsonb_build_object('outcome', 'asked', 'asks', asks);
end
$$;

-- Refuses a request if there is already an open request for the same change.
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
       and (o.payload -> 'asks') - array['command', 'plan', 'hidden'] = jsonb_strip_nulls(refuse_asked.asks)
     limit 1;
    if same is not null then
        raise exception 'the open request % already requests this change', same
              using errcode = 'US006', detail = 'asked_already',
                    hint = format('`usher request show %s` shows this request', same);
    end if;
end
$$;

-- Requests an action that needs another role or two people: {id, app, digest, kind, name, keys or selections, arguments, dry, reason,
-- ticket}. Also requests the undo of an operation: {id, operation, ...}, or a deletion, with the kind `deletion`. Returns the preview for
-- the requester. Call this function like `usher.run`.
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
    names text;
    said jsonb;
    report jsonb := usher.nothing_done('done') - 'subjects';
begin
    if request ->> 'kind' = 'deletion' then
        select * into found from usher.ask_deletion(request, is_dry);
    elsif request ->> 'operation' is null then
        select * into found from usher.ask_action(request, is_dry, at, guarded);
    else
        select * into found from usher.ask_undo(request, is_dry);
    end if;
    if found.busy is not null then return found.busy; end if;
    if found.subjects = '{}' and selections = '[]' and found.definition ->> 'subject' <> 'nothing' then
        raise exception 'the request contains no user' using errcode = 'US002', detail = 'asked_for_nobody', hint = 'name at least one user';
    end if;
    app := coalesce((found.undone).app, (found.act).app);
    asks := found.asks || jsonb_build_object('command', found.definition ->> 'command');
    perform usher.refuse_asked(app, found.asks);
    if found.asks ->> 'kind' not in ('undo', 'deletion') and selections = '[]' and cardinality(found.subjects) <= 100 then
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
    said := usher.ledger_payload(found.app, found.definition, found.environment, found.subjects, at, found.given, request) - 'final';
    perform usher.refuse_beside(guarded);
    if is_dry then return report; end if;
    names := (select string_agg('--' || s.name, ' ' order by s.place) from jsonb_array_elements_text(selections) with ordinality as s (name, place));
    perform usher.record(
        (request ->> 'id')::uuid, 'request', 'committed', 'request', app, coalesce((found.undone).app_digest, (found.act).digest), null, null,
        coalesce((found.undone).root, usher.root_name(found.app)), case when names is null then found.users end,
        said || jsonb_build_object(
                    'asks', asks, 'users', case when found.users <> '{}' then to_jsonb(found.users) end,
                    'preview', case when found.asks ->> 'kind' <> 'deletion' then jsonb_build_object(
                        'decisions', report -> 'decisions', 'warnings', jsonb_array_length(report -> 'warnings'),
                        'changes', jsonb_array_length(nullif(report -> 'changes', '[]'))) end)
             || case when (found.undone).id is not null
                     then jsonb_build_object('target', concat_ws(' ', (found.undone).command, (found.undone).payload ->> 'target', (found.undone).id))
                     when names is not null then jsonb_build_object('target', names) else '{}' end);
    insert into usher.request (operation, role, of_two) values ((request ->> 'id')::uuid, found.role, found.of_two);
    return report;
end
$$;

-- Declines or withdraws a request: {id, request, answer, reason, ticket}. An operator who can approve the request can also decline it. Only
-- the requester can withdraw it. Call this function like `usher.run`.
create or replace function usher.answer(request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    way constant text := request ->> 'answer';
    place usher.request;
    asked usher.operation;
    undone usher.operation;
    act usher.act;
    missing text;
begin
    perform usher.refuse_late(request);
    if way is null or way not in ('decline', 'withdraw') then
        raise exception 'the answer to a request must be `decline` or `withdraw`' using errcode = 'US002', detail = 'no_answer';
    end if;
    select r.* into place from usher.request r where r.operation = (answer.request ->> 'request')::uuid for update;
    perform usher.refuse_answered(place, request ->> 'request');
    select o.* into asked from usher.operation o where o.id = place.operation;
    if way = 'withdraw' and asked.operator <> session_user then
        raise exception 'only %, who made this request, can withdraw it', asked.operator
              using errcode = 'US005', detail = 'not_the_asker';
    end if;
    if way = 'decline' then
        if asked.operator = session_user then
            raise exception 'you can''t decline this request, because you made it yourself'
                  using errcode = 'US003', detail = 'own_request',
                        hint = format('`usher request withdraw %s` withdraws it', asked.id);
        end if;
        select o.* into undone from usher.operation o where o.id = (asked.payload -> 'asks' ->> 'undoes')::uuid;
        if undone.id is null then
            select a.* into act from usher.act a
             where a.app = asked.app and a.digest = asked.app_digest and a.kind = asked.payload -> 'asks' ->> 'kind'
               and a.name = asked.payload -> 'asks' ->> 'name';
        elsif undone.undoes is not null then
            -- The undo of an undo runs an action again.
            act := usher.act_of(undone);
        end if;
        missing := usher.missing_role(place, act, case when undone.id is not null then usher.role_of(undone) end);
        if missing is not null then
            raise exception 'declining this request needs the role %, which % doesn''t have', missing, session_user
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
