-- The functions that request a change from another role, and answer requests.

-- Finds the affected users of a requested change. If another session holds a lock, `busy` has the result to return.
create or replace function usher.find_users(request jsonb, guarded jsonb, inout opened usher.opened, out busy jsonb)
language plpgsql volatile
as $$
declare
    selections constant jsonb := nullif(nullif(request -> 'selections', 'null'), '[]');
    locked record;
begin
    opened.users := coalesce((opened.undone).subjects, '{}');
    if request ->> 'kind' = 'deletion' then
        select * into locked from usher.lock_users(request ->> 'app', request -> 'keys');
        opened.act := locked.act;
        opened.app := (locked.act).definition;
        opened.subjects := locked.keys;
        opened.users := locked.keys;
        busy := locked.busy;
    elsif (opened.undone).id is not null then
        busy := usher.lock_keys((opened.undone).app, opened.app -> 'root', 'users', null, opened.users);
    elsif selections is not null then
        opened.subjects := '{}';
        perform usher.selected(opened.definition, selections, opened.at, opened.given);
    else
        perform usher.refuse_unknown_subjects(opened.definition, opened.subjects, opened.at, opened.given, null);
        busy := usher.lock_subjects(
            (opened.act).app, opened.app, opened.definition, opened.subjects, opened.at, opened.given, find_users.guarded);
        if busy is null then opened.users := usher.affected_users(opened.definition, opened.subjects, opened.at, opened.given); end if;
    end if;
end
$$;

-- The tables in which an action may change rows: the tables in its statements, their partitions and inheriting tables, and the targets of
-- cascades.
create or replace function usher.changeable(act usher.action) returns setof oid
language sql stable
as $$
    with recursive
    relations (oid) as (
        select c.oid
          from jsonb_to_recordset(jsonb_path_query_array(act.steps, '$[*].targets[*]')) as w (schema text, name text)
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

-- Returns true if a rollback certainly undoes all effects of an action. Only then can a requester without the role of the action preview the
-- action.
--
-- A statement of the action is safe if it names no view, foreign table or function, except harmless functions of the server and of some
-- extensions. A trigger function must also be in PL/pgSQL and run no SQL command. The rules, defaults, constraints, indexes and policies of
-- the tables must be safe too. So a preview calls no function that could contain dynamic SQL.
create or replace function usher.is_confined(act usher.action) returns boolean
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
        select c.relname from pg_class c where c.relkind in ('c', 'f', 'm', 'v') and c.relnamespace <> 'pg_catalog'::regnamespace
         union all
        select t.typname from pg_type t where t.typtype in ('d', 'm', 'r') and t.typnamespace <> 'pg_catalog'::regnamespace
    ),
    sources (commands, text) as (
        select '\m(copy|do(?!\s+(nothing|update)))\M', s.value ->> 'sql' from jsonb_array_elements(act.steps) s
         union all
        select '\m(alter|call|copy|create|delete|do|drop|execute|import|insert|load|merge|prepare|refresh|truncate|update)\M',
               case when l.lanname = 'plpgsql' then concat(p.prosrc, substring(pg_get_triggerdef(t.oid) from '\sWHEN (.*)\sEXECUTE FUNCTION ')) else 'call' end
          from tables r
          join pg_trigger t on t.tgrelid = r.oid and not t.tgisinternal and t.tgenabled <> 'D'
          join pg_proc p on p.oid = t.tgfoid
          join pg_language l on l.oid = p.prolang
         union all
        select '\m(call|do)\M', concat_ws(' ',
               (select 'call' from pg_class c where c.oid = r.oid and c.relkind not in ('r', 'p')),
               (select string_agg(pg_get_ruledef(w.oid), ' ') from pg_rewrite w where w.ev_class = r.oid),
               (select string_agg(pg_get_expr(d.adbin, r.oid), ' ') from pg_attrdef d where d.adrelid = r.oid),
               (select string_agg(concat_ws(' ', pg_get_expr(p.polqual, r.oid), pg_get_expr(p.polwithcheck, r.oid)), ' ') from pg_policy p
                 where p.polrelid = r.oid and row_security_active(r.oid)),
               (select string_agg(concat_ws(' ', pg_get_expr(i.indexprs, r.oid), pg_get_expr(i.indpred, r.oid)), ' ') from pg_index i where i.indrelid = r.oid),
               (select string_agg(pg_get_constraintdef(k.oid), ' ') from pg_constraint k
                 where k.contype = 'c' and k.conrelid = r.oid),
               pg_get_partkeydef(r.oid),
               -- A value of a domain, also inside another type, can call functions.
               (select 'call' where exists (
                   select from pg_attribute a
                     join pg_type t on t.oid = a.atttypid
                     left join pg_type e on e.oid = t.typelem
                    where a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
                      and (t.typtype in ('c', 'd', 'm', 'r') or e.typtype in ('c', 'd', 'm', 'r')) and t.typnamespace <> 'pg_catalog'::regnamespace)))
          from tables r
         union all
        select null, f.oid::regproc::text
          from (select 'pg_operator'::regclass, o.oid, o.oprcode::oid from pg_operator o
                 union all
                select 'pg_cast'::regclass, c.oid, c.castfunc from pg_cast c where c.castfunc <> 0) as f (catalog, object, oid)
         where f.object >= 16384
           and not exists (select from pg_depend d where d.classid = f.catalog and d.objid = f.object and d.deptype = 'e')
    )
    select not exists (
        select from sources s
         where s.text ~* s.commands or s.text ~* '\musher\M|_to_xml|\mu&["'']'
            or exists (select from regexp_matches(lower(s.text), '[a-z0-9_$]+', 'g') m join named n on n.name = m[1])
            or exists (select from named n where n.name !~ '^[a-z0-9_$]+$' and strpos(replace(s.text, '""', '"'), n.name) > 0))
$$;

-- The columns of the tables of an action that the operator can't read, except key columns.
create or replace function usher.hidden_columns(act usher.action) returns jsonb
language sql stable
as $$
    select coalesce(jsonb_agg(format('%s.%I', c.oid::regclass, a.attname)), '[]')
      from usher.changeable(act) r (oid)
      join pg_class c on c.oid = r.oid
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where not has_column_privilege(session_user, c.oid, a.attnum, 'select')
       and coalesce(a.attnum <> all (usher.key_numbers(c.oid)), true)
$$;

-- The preview for a requester: the refusals and warnings, the decisions about the users, and all changes. usher runs the action and rolls
-- it back. It doesn't run an undo, an action that needs a secret from the approver, or an action that may have effects that a rollback
-- doesn't undo. If the requester doesn't have the role, columns that the requester can't read count as secrets. The report also has a
-- digest to compare with the approver's preview. The digest doesn't cover the columns in `hidden`. If the report has no `hidden`, the
-- action did not run.
create or replace function usher.preview_of_request(opened usher.opened, may_do boolean, guarded jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    act constant usher.action := opened.definition;
    judgement constant jsonb := usher.judged(act, opened.subjects, opened.at, opened.given);
    standing constant jsonb := usher.standing(opened.app, opened.users, opened.at);
    salt constant text := gen_random_uuid()::text;
    hidden jsonb := '[]';
    is_confined boolean := true;
    asks jsonb;
    report jsonb := usher.nothing_done(
        'asked', (select coalesce(jsonb_agg(r.value order by r.key), '[]') from jsonb_each(judgement -> 'refused') r))
        || jsonb_build_object('warnings', judgement -> 'warnings', 'decisions', usher.decided(opened.app, opened.users, standing, standing));
begin
    perform usher.refuse_beside(preview_of_request.guarded);
    if (opened.undone).id is not null then return report; end if;
    if jsonb_array_length(report -> 'refused') >= greatest(cardinality(opened.subjects), 1) then
        return report || '{"outcome": "refused"}';
    end if;
    if not may_do then
        hidden := usher.hidden_columns(act);
        is_confined := usher.is_confined(act);
    end if;
    if not is_confined then report := report || '{"remarks": [{"left": "outside", "table": ""}]}'; end if;
    if not is_confined or jsonb_path_exists(act.parameters, '$[*] ? (@.secret == true)') then
        asks := jsonb_build_object('plan', usher.fingerprint(usher.report_before(report), opened.at, salt));
    else
        report := usher.run_action(
            opened.app || jsonb_build_object('secrets', (opened.app -> 'secrets') || hidden), act, opened.subjects, opened.at, opened.given,
            jsonb_build_object('dry', true, 'guarded', preview_of_request.guarded));
        if report ->> 'outcome' <> 'planned' then return report; end if;
        asks := jsonb_build_object('plan', usher.fingerprint(report, opened.at, salt, hidden), 'hidden', hidden);
    end if;
    return report || jsonb_build_object('outcome', 'asked', 'asks', asks);
end
$$;

-- Describes a requested change for the record of its request. Refuses the request if there is already an open request for the same change.
create or replace function usher.new_request(request jsonb, opened usher.opened) returns jsonb
language plpgsql stable
as $$
declare
    asks constant jsonb := usher.wanted(opened, request)
        || jsonb_build_object('keys', case when (opened.undone).id is null then to_jsonb(opened.subjects) end);
    same constant uuid := (
        select r.operation
          from usher.request r
          join usher.operation o on o.id = r.operation
         where r.answer is null and o.app is not distinct from coalesce((opened.undone).app, (opened.act).app)
           and (o.payload -> 'asks') - array['command', 'plan', 'hidden'] = jsonb_strip_nulls(asks)
         limit 1);
begin
    if same is not null then
        raise exception 'the open request % already requests this change', same
              using errcode = 'US006', detail = 'asked_already',
                    hint = format('`usher request show %s` shows this request', same);
    end if;
    return asks || jsonb_build_object('command', (opened.definition).command);
end
$$;

-- Records a request with the preview in `report`.
create or replace function usher.record_request(request jsonb, opened usher.opened, asks jsonb, report jsonb) returns void
language plpgsql volatile
as $$
declare
    undone constant usher.operation := opened.undone;
    names constant text := usher.selection_names(asks);
begin
    perform usher.record(
        (request ->> 'id')::uuid, 'request', 'committed', 'request', coalesce(undone.app, (opened.act).app),
        coalesce(undone.app_digest, (opened.act).digest), null, null, coalesce(undone.root, usher.root_name(opened.app)),
        case when names is null then opened.users end,
        usher.ledger_payload(opened.app, opened.definition, opened.environment, opened.subjects, opened.at, opened.given, request) - 'final'
            || jsonb_build_object(
                   'asks', asks, 'users', nullif(to_jsonb(opened.users), '[]'),
                   'preview', case when asks ->> 'kind' <> 'deletion' then jsonb_build_object(
                       'decisions', report -> 'decisions', 'warnings', jsonb_array_length(report -> 'warnings'),
                       'changes', jsonb_array_length(nullif(report -> 'changes', '[]'))) end)
            || case when undone.id is not null
                    then jsonb_build_object('target', concat_ws(' ', undone.command, undone.payload ->> 'target', undone.id))
                    when names is not null then jsonb_build_object('target', names) else '{}' end);
    insert into usher.request (operation, role, of_two)
    values ((request ->> 'id')::uuid, coalesce(opened.approver, opened.needed), opened.approver is not null);
end
$$;

-- Requests an action that needs another role or two people: {id, app, digest, kind, name, keys or selections, arguments, dry, reason,
-- ticket}. Also requests the undo of an operation: {id, operation, ...}, or a deletion, with the kind `deletion`. Returns the preview for
-- the requester. Call this function like `usher.run`.
create or replace function usher.ask(request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    guarded constant jsonb := usher.open_transaction(request);
    opened usher.opened := usher.open_change(request, request ->> 'operation', transaction_timestamp(), true);
    may_do constant boolean := usher.refuse_needless(
        (opened.definition).command, opened.needed, opened.approver is not null and opened.environment = 'production');
    found record;
    asks jsonb;
    report jsonb := usher.nothing_done('asked');
begin
    select * into found from usher.find_users(request, guarded, opened);
    if found.busy is not null then return found.busy; end if;
    opened := found.opened;
    asks := usher.new_request(request, opened);
    if opened.subjects = '{}' and asks ->> 'selections' is null and (opened.definition).subject <> 'nothing' then
        raise exception 'the request contains no user' using errcode = 'US002', detail = 'asked_for_nobody', hint = 'name at least one user';
    end if;
    if asks ->> 'kind' <> 'deletion' and asks ->> 'selections' is null and (opened.undone).kind is distinct from 'bulk'
       and cardinality(case when (opened.undone).id is null then opened.subjects else opened.users end) <= 100 then
        report := usher.preview_of_request(opened, may_do, guarded);
        if report ->> 'outcome' <> 'asked' then
            return report || jsonb_build_object('environment', opened.environment, 'now', opened.at::text);
        end if;
        asks := asks || coalesce(report -> 'asks', '{}');
        if report ? 'users' then opened.users := array(select jsonb_array_elements_text(report -> 'users')); end if;
    end if;
    report := report - 'asks' || jsonb_build_object(
        'outcome', case when opened.is_dry then 'planned' else 'done' end, 'environment', opened.environment, 'now', opened.at::text,
        'subjects', to_jsonb(opened.subjects), 'role', coalesce(opened.approver, opened.needed),
        'names', usher.named_users(opened.app, opened.users, opened.at));
    perform usher.refuse_beside(guarded);
    if not opened.is_dry then perform usher.record_request(request, opened, asks, report); end if;
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
    asked usher.operation;
    own record;
    missing text;
    busy jsonb;
begin
    perform usher.refuse_late(request);
    if way is null or way not in ('decline', 'withdraw') then
        raise exception 'the answer to a request must be `decline` or `withdraw`' using errcode = 'US002', detail = 'no_answer';
    end if;
    select * into own from usher.open_request(request ->> 'request');
    asked := own.asked;
    if way = 'withdraw' and asked.operator <> session_user then
        raise exception 'only %, who made this request, can withdraw it', asked.operator
              using errcode = 'US005', detail = 'not_the_asker';
    end if;
    if way = 'decline' and asked.operator = session_user then
        raise exception 'you can''t decline this request, because you made it yourself'
              using errcode = 'US003', detail = 'own_request', hint = format('`usher request withdraw %s` withdraws it', asked.id);
    end if;
    missing := case way when 'decline' then usher.missing_role(own.place, asked) end;
    if missing is not null then
        raise exception 'declining this request needs the role %, which % doesn''t have', missing, session_user
              using errcode = 'US005', detail = 'may_not_decline';
    end if;
    busy := usher.lock_keys(asked.app, usher.app_of(asked) -> 'root', 'users', null, coalesce(asked.subjects, '{}'));
    if busy is not null then return busy; end if;
    perform usher.record(
        (request ->> 'id')::uuid, 'answer', 'committed', 'request ' || way, asked.app, asked.app_digest, null, null, asked.root, asked.subjects,
        jsonb_build_object('target', asked.payload -> 'target', 'users', asked.payload -> 'users', 'asked_by', asked.operator,
                           'reason', request -> 'reason', 'ticket', request -> 'ticket', 'environment', usher.environment_name()),
        request := asked.id);
    return jsonb_build_object('outcome', 'done', 'now', transaction_timestamp()::text);
end
$$;
