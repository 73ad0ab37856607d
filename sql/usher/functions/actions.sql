-- Running an action.

-- An installed act and what all acts of its app file share. Both rows are locked: if they changed since the snapshot of the
-- transaction, it has to begin again (40001).
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
            raise exception 'the app file of % is not installed', request ->> 'app' using errcode = 'US008',
                  detail = jsonb_build_object('refusal', 'not_installed', 'app', request ->> 'app')::text;
        end if;
        if not exists (select from usher.act a
                        where a.app = request ->> 'app' and a.digest = decode(request ->> 'digest', 'hex') and a.retired_at is null) then
            raise exception 'this is not the app file of % that is installed', request ->> 'app' using errcode = 'US008',
                  detail = jsonb_build_object('refusal', 'other_file', 'app', request ->> 'app')::text;
        end if;
        raise exception '`%` is not among what was installed of %', request ->> 'name', request ->> 'app' using errcode = 'US008',
              detail = jsonb_build_object('refusal', 'no_act', 'app', request ->> 'app', 'name', request ->> 'name')::text;
    end if;
    select a.definition into app from usher.act a where a.app = act.app and a.digest = act.digest and a.kind = 'app' for share;
end
$$;

-- The act that an operation was done by, also of what undid it; none where no installed act explains it.
create or replace function usher.act_of(operation usher.operation) returns usher.act
language plpgsql stable
as $$
begin
    return (
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
     -- States share a command, and a role.
     order by a.name limit 1);
end
$$;

-- What all acts of the app of an operation share: as it is installed, else as it was last.
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

-- The request that an operation answers by doing what was asked for; none where it names none. Refuses who may not approve it,
-- what was answered already, and what is not what was asked for.
--
-- All of it or nothing: what is left of a request would never be done. `wanted` says what is to be done, as `usher.ask` writes it: {kind, name, arguments, selections, undoes}, besides the keys.
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
    -- Of two who answer at once one comes too late, and finds it answered.
    if is_dry then
        select r.* into place from usher.request r where r.operation = (asked_for.request ->> 'request')::uuid;
    else
        select r.* into place from usher.request r where r.operation = (asked_for.request ->> 'request')::uuid for update;
    end if;
    select o.* into asked from usher.operation o where o.id = place.operation;
    perform usher.refuse_answered(place, request ->> 'request');
    missing := usher.missing_role(place, act);
    if missing is not null then
        raise exception 'approving `%` needs the role %, which % has not', command, missing, session_user using errcode = 'US005',
              detail = jsonb_build_object('refusal', 'may_not_approve', 'command', command, 'role', missing, 'user', session_user)::text;
    end if;
    if asked.operator = session_user and (place.of_two or (usher.act_now(act)).definition ->> 'approve' is not null) then
        raise exception '`%` takes two, and you asked for it: somebody else approves it', command using errcode = 'US003',
              detail = jsonb_build_object('refusal', 'takes_another', 'command', command)::text;
    end if;
    asks := asked.payload -> 'asks';
    chosen := array(select jsonb_array_elements_text(asks -> 'keys'));
    if asks ->> 'selections' is not null and wanted ->> 'selections' is null and act.app is not null then
        chosen := usher.selected(act.definition, asks -> 'selections', at, given);
        asks := asks - 'selections';
    end if;
    if asked.app is distinct from asked_for.app
       or jsonb_strip_nulls(asks - array['keys', 'command', 'world', 'plan']) is distinct from jsonb_strip_nulls(wanted)
       or not (asked_for.keys <@ chosen and chosen <@ asked_for.keys) then
        raise exception 'this is not what request % asks for', asked.id using errcode = 'US003',
              detail = jsonb_build_object('refusal', 'other_request', 'request', asked.id)::text;
    end if;
    return asked;
end
$$;

-- Does an act to some subjects and says what it came to. Subjects that turn out to be impossible are left out and named. What
-- is only tried, what differs from its plan, and what does nothing is taken back before this returns. The users whom it
-- concerns are all of them: whose what it is about was, and whose it is then.
--
-- `terms` say how: dry, the fingerprint of the plan, confirmed as severe, whether it may be about nobody in the end, and what
-- was counted as `guarded` before.
create or replace function usher.perform(
    app jsonb, act jsonb, keys text[], at timestamptz, arguments jsonb, terms jsonb
) returns jsonb
language plpgsql volatile
as $$
declare
    targets constant jsonb := usher.targets(act);
    relations constant jsonb := usher.written(targets);
    judgement jsonb;
    objections jsonb := '[]';
    refused jsonb;
    subjects text[];
    users text[];
    concerned text[];
    since text[];
    later text[] := '{}';
    locks bigint[];
    about jsonb;
    before jsonb;
    after jsonb;
    impacts jsonb;
    done jsonb;
    unkept jsonb;
    remarks jsonb := '[]';
    report jsonb;
    complaint text;
begin
    perform usher.refuse_obstacle(r.value ->> 'obstacle', r.value ->> 'place') from jsonb_each(relations) r order by r.key;
    perform usher.refuse_hidden(targets);
    judgement := case when act ->> 'each' is null then usher.judged(act, perform.keys, at, arguments)
                      else '{"refused": {}, "warnings": []}' end;
    perform usher.refuse_beside(terms -> 'guarded');
    loop
        refused := (select coalesce(jsonb_agg(r.remark), '[]')
                      from (select judgement -> 'refused' -> '' as remark where judgement -> 'refused' ? ''
                            union all
                            select coalesce(o.value, judgement -> 'refused' -> k.key)
                              from unnest(perform.keys) with ordinality as k (key, place)
                              left join jsonb_array_elements(objections) o on o.value ->> 'key' = k.key
                             where o.value is not null or judgement -> 'refused' ? k.key) r);
        subjects := array(select k.key
                            from unnest(perform.keys) with ordinality as k (key, place)
                           where not exists (select from jsonb_array_elements(refused) r where r.value ->> 'key' = k.key)
                           order by k.place);
        if cardinality(subjects) = 0 and (act ->> 'subject' <> 'nothing' or refused <> '[]') then
            -- Where a selection holds for nobody, nobody objects.
            return jsonb_build_object('outcome', case when refused = '[]' then 'nothing' else 'refused' end,
                                      'subjects', '[]'::jsonb, 'changes', '[]'::jsonb, 'decisions', '[]'::jsonb,
                                      'warnings', '[]'::jsonb, 'refused', refused, 'impacts', '[]'::jsonb);
        end if;
        -- Whoever is only then concerned is kept from going as well.
        if later <> '{}' then
            locks := usher.locks(null, app -> 'root', '{"subject": "users"}', later);
            if not usher.holds(locks) then return jsonb_build_object('outcome', 'locked', 'locks', to_jsonb(locks)); end if;
        end if;
        begin
            users := usher.users(act, subjects, at, arguments);
            about := usher.about(act, subjects, at, arguments);
            concerned := usher.concerned(act, subjects, at, arguments);
            concerned := concerned || array(select l.key from unnest(later) l (key) where l.key <> all (concerned));
            before := usher.standing(app, concerned, at);
            impacts := usher.impacts(act, at, arguments);
            begin
                done := usher.changes(app, act, relations, subjects, at, arguments);
            exception when sqlstate 'UA005' then
                -- Which of them the server objects to is found out without them.
                if act ->> 'each' is not null or act ->> 'undoes' is not null or cardinality(subjects) < 2 then raise; end if;
                complaint := sqlerrm;
                done := jsonb_build_object('objections', usher.objectors(app, act, relations, usher.deferred(), subjects, at, arguments));
                if done -> 'objections' = '[]'
                   or jsonb_array_length(done -> 'objections') = cardinality(subjects) and not coalesce((terms ->> 'tolerant')::boolean, false) then
                    raise sqlstate 'UA005' using message = complaint;
                end if;
            end;
            if not done ? 'changes' then
                objections := objections || (select jsonb_agg(o.value) from jsonb_array_elements(done -> 'objections') o where o.value ? 'error');
                raise sqlstate 'UA003';
            end if;
            -- One by one, some were refused on the way.
            refused := refused || (done -> 'objections');
            subjects := array(select s.key from unnest(subjects) with ordinality as s (key, place)
                               where not exists (select from jsonb_array_elements(done -> 'objections') o where o.value ->> 'key' = s.key)
                               order by s.place);
            if cardinality(subjects) = 0 and act ->> 'subject' <> 'nothing' then
                report := jsonb_build_object('outcome', 'refused', 'subjects', '[]'::jsonb, 'changes', '[]'::jsonb,
                                             'decisions', '[]'::jsonb, 'warnings', '[]'::jsonb, 'refused', refused, 'impacts', '[]'::jsonb);
                raise sqlstate 'UA004';
            end if;
            if act ->> 'owners' is not null then
                -- Whose it is now is known once it is done; how things stood for them before is asked by doing it again.
                since := usher.concerned(act, subjects, at, arguments);
                if not since <@ concerned then
                    later := later || array(select s.key from unnest(since) s (key) where s.key <> all (concerned));
                    raise sqlstate 'UA003';
                end if;
                -- Whoever was refused still has what it was about.
                if done -> 'objections' <> '[]' then
                    concerned := array(
                        select c.key from unnest(concerned) with ordinality as c (key, place)
                         where c.key = any (since)
                            or c.key <> all (usher.concerned(act, array(select o.value ->> 'key' from jsonb_array_elements(done -> 'objections') o), at, arguments))
                         order by c.place);
                end if;
            end if;
            if act ? 'pieces' then
                remarks := usher.restored(
                    act -> 'pieces', done -> 'overwritten', coalesce((terms ->> 'tolerant')::boolean and (terms ->> 'dry')::boolean, false));
                perform usher.refuse_stray_rows(act -> 'pieces', done -> 'changes');
            end if;
            after := usher.standing(app, concerned, at);
            unkept := usher.unkept(act, case when done -> 'objections' = '[]' then users
                                             else usher.users(act, subjects, at, arguments) end,
                                   after || jsonb_build_object('about', (select coalesce(jsonb_agg(o.value), '[]')
                                                                           from jsonb_array_elements(about) o
                                                                          where o.value ->> 1 = any (subjects))));
            if unkept <> '[]' then
                if act ->> 'subject' = 'users' and jsonb_array_length(unkept) < cardinality(subjects) then
                    objections := objections || unkept;
                    raise sqlstate 'UA003';
                end if;
                report := jsonb_build_object('outcome', 'refused', 'subjects', '[]'::jsonb, 'changes', '[]'::jsonb,
                                             'decisions', '[]'::jsonb, 'warnings', '[]'::jsonb, 'refused', unkept, 'impacts', '[]'::jsonb);
                raise sqlstate 'UA004';
            end if;
            report := jsonb_build_object(
                'outcome', 'done', 'subjects', to_jsonb(subjects), 'users', to_jsonb(concerned), 'changes', done -> 'changes',
                'others', done -> 'others', 'remarks', remarks,
                'decisions', usher.decided(app, concerned, before, after),
                'warnings', (judgement -> 'warnings') || (done -> 'warnings'),
                'refused', (select coalesce(jsonb_agg(r.value order by k.place nulls first), '[]')
                              from jsonb_array_elements(refused) r
                              left join unnest(perform.keys) with ordinality as k (key, place) on k.key = r.value ->> 'key'),
                'impacts', (select coalesce(jsonb_agg(jsonb_build_array(b.value, a.value) order by b.place), '[]')
                              from jsonb_array_elements(impacts) with ordinality as b (value, place)
                              join jsonb_array_elements(usher.impacts(act, at, arguments)) with ordinality as a (value, place)
                                on a.place = b.place));
            perform usher.refuse_beside(terms -> 'guarded');
            report := report || jsonb_build_object('fingerprint', usher.fingerprint(
                report, at, coalesce(split_part(terms ->> 'plan', ':', 1), gen_random_uuid()::text)));
            if terms ->> 'plan' <> report ->> 'fingerprint' then
                report := report || '{"outcome": "changed"}';
            elsif (terms ->> 'dry')::boolean then
                report := report || '{"outcome": "planned"}';
            elsif report -> 'changes' = '[]' then
                report := report || '{"outcome": "nothing"}';
            elsif jsonb_array_length(report -> 'changes') > (act ->> 'ceiling')::bigint
                  and not coalesce((terms ->> 'confirmed')::boolean, false) then
                raise exception 'this changes % rows, more than %; it has to be confirmed as severe',
                      jsonb_array_length(report -> 'changes'), act ->> 'ceiling' using errcode = 'US009',
                      detail = jsonb_build_object('refusal', 'over_ceiling', 'rows', jsonb_array_length(report -> 'changes'), 'ceiling', act ->> 'ceiling')::text;
            else
                return report;
            end if;
            raise sqlstate 'UA004';
        exception
            when sqlstate 'UA003' then null;
            when sqlstate 'UA004' then return report;
            when sqlstate 'UA005' then
                return jsonb_build_object('outcome', 'failed', 'error', sqlerrm::jsonb);
        end;
    end loop;
end
$$;

-- Does an installed act: {id, app, digest, kind, name, keys, arguments, now, plan, dry, confirmed, reason, ticket}, with
-- {request} as the answer to one, and with {moved} also where what that rests on has changed. To be called in a transaction of
-- its own at REPEATABLE READ, which the caller commits.
create or replace function usher.run(request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    is_dry constant boolean := coalesce((request ->> 'dry')::boolean, false);
    found record;
    definition jsonb;
    environment text;
    at timestamptz;
    given jsonb;
    subjects text[];
    locks bigint[];
    report jsonb;
    done text[];
    asked usher.operation;
    has_moved boolean := false;
    terms jsonb;
    guarded jsonb;
    names jsonb;
    said jsonb;
begin
    perform usher.refuse_late(request);
    perform usher.refuse_open_path();
    guarded := usher.guarded();
    terms := request || jsonb_build_object('guarded', guarded);
    select * into found from usher.find_act(request);
    definition := (found.act).definition;
    perform usher.own_session(found.app);
    -- What nobody may do is nobody's to be asked for.
    perform usher.environment_for((found.act).kind, null, true);
    perform usher.refuse_forbidden((found.act).role, definition ->> 'command', request ->> 'request');
    environment := usher.environment_for((found.act).kind, request ->> 'reason', is_dry);
    perform usher.refuse_alone(found.act, environment, request, is_dry);
    at := usher.instant(request ->> 'now');
    given := usher.arguments(definition -> 'parameters', request -> 'arguments');
    subjects := usher.keys(request -> 'keys', definition ->> 'key_type');
    locks := usher.locks((found.act).app, found.app -> 'root', definition, subjects, usher.touched(definition, subjects, at, given));
    perform usher.refuse_beside(guarded);
    if not usher.holds(locks) then
        return jsonb_build_object('outcome', 'locked', 'locks', to_jsonb(locks));
    end if;
    perform usher.refuse_strangers(definition, subjects, at, given, request ->> 'plan');
    asked := usher.asked_for(
        request, found.act, (found.act).app, definition ->> 'command',
        jsonb_build_object('kind', (found.act).kind, 'name', (found.act).name, 'arguments', usher.plain(definition, given)), subjects, at,
        given, is_dry);
    if asked.id is not null and not coalesce((request ->> 'moved')::boolean, false) then
        has_moved := usher.has_moved(asked, found.app, definition, subjects, at, given);
        if has_moved and not is_dry then
            raise exception 'what request % rests on has changed since it was made', asked.id using errcode = 'US006',
                  detail = jsonb_build_object('refusal', 'moved', 'request', asked.id)::text;
        end if;
        if request ->> 'plan' is null and not is_dry then terms := terms || jsonb_build_object('plan', asked.payload -> 'asks' -> 'plan'); end if;
    end if;
    report := usher.perform(found.app, definition, subjects, at, given, terms);
    if report ->> 'outcome' = 'locked' then return report; end if;
    if report ->> 'outcome' = 'planned' and asked.payload -> 'asks' ->> 'plan' is not null then
        has_moved := has_moved or usher.fingerprint(report, at, split_part(asked.payload -> 'asks' ->> 'plan', ':', 1))
                                  <> asked.payload -> 'asks' ->> 'plan' and not coalesce((request ->> 'moved')::boolean, false);
    end if;
    names := usher.named_users(found.app, array(select jsonb_array_elements_text(report -> 'users')), at);
    if report ->> 'outcome' = 'done' then
        done := array(select jsonb_array_elements_text(report -> 'subjects'));
        said := usher.said(found.app, definition, environment, done, at, given, request);
    end if;
    perform usher.refuse_beside(guarded);
    if report ->> 'outcome' = 'done' then
        perform usher.enter(
            (request ->> 'id')::uuid, 'change', 'committed', definition ->> 'command', (found.act).app, (found.act).digest, null, null,
            usher.root_name(found.app), array(select jsonb_array_elements_text(report -> 'users')),
            said || jsonb_build_object('asked_by', asked.operator, 'beside', nullif(report -> 'others', 'null'), 'decisions', usher.turned(report -> 'decisions')),
            report -> 'changes', asked.id);
    end if;
    return report || jsonb_build_object('environment', environment, 'now', at::text, 'moved', has_moved, 'names', names);
end
$$;
