-- Bulk changes: beginning one, and running it batch by batch.

-- Refuses subjects that the app does not list, or that it listed only until somebody planned this.
create or replace function usher.refuse_strangers(act jsonb, keys text[], at timestamptz, arguments jsonb, plan text) returns void
language plpgsql volatile
as $$
declare
    known constant text[] := usher.listed(act, refuse_strangers.keys, at, arguments);
    stranger text;
begin
    if cardinality(known) = cardinality(refuse_strangers.keys) then return; end if;
    stranger := (select k.key from unnest(refuse_strangers.keys) k (key) where k.key <> all (known) or k.key is null limit 1);
    if plan is null then
        raise exception 'there is no % here', stranger using errcode = 'US004',
              detail = jsonb_build_object('refusal', 'stranger', 'key', stranger)::text;
    end if;
    raise exception '% is gone meanwhile; nothing was changed', stranger using errcode = 'US006',
          detail = jsonb_build_object('refusal', 'gone', 'key', stranger)::text;
end
$$;

-- Refuses the undoing of what is no act on many, or cannot be taken back.
create or replace function usher.refuse_irrevocable_bulk(operation usher.operation, request jsonb) returns void
language plpgsql stable
as $$
begin
    if operation.kind is distinct from 'bulk' then
        raise exception 'there is no act on many %', request ->> 'undoes' using errcode = 'US004',
              detail = jsonb_build_object('refusal', 'no_bulk', 'operation', request ->> 'undoes')::text;
    end if;
    if usher.outcome(operation.id) = 'undone' then
        raise exception 'it is undone already' using errcode = 'US003', detail = jsonb_build_object('refusal', 'undone')::text;
    end if;
    if coalesce(operation.payload -> 'final', (usher.act_of(operation)).definition -> 'final') = 'true' then
        raise exception '% cannot be undone', operation.command using errcode = 'US003',
              detail = jsonb_build_object('refusal', 'final', 'command', operation.command)::text;
    end if;
end
$$;

-- The digest of one of those whom an act on many is about, in its place. It is no more lasting than what turns text into bytes
-- says of itself: else the server would not write it into the statements that ask it of half a million.
create or replace function usher.subject_digest(salt bytea, ordinal integer, key text) returns bytea
language sql stable
as $$ select sha256(subject_digest.salt || convert_to(subject_digest.ordinal::text || ' ' || subject_digest.key, 'UTF8')) $$;

-- What the list of those whom an act on many is about comes to between two places: a digest for each so many of them, by its
-- number. It is made of whom the list names now, and of the digest that alone is left of each whom a deletion took from it;
-- whoever has neither is not left out, but makes it another.
create or replace function usher.list_digests(operation uuid, size integer, low integer, high integer) returns jsonb
language plpgsql stable
as $$
begin
    return (
    select coalesce(jsonb_object_agg(b.number, encode(b.digest, 'hex')), '{}')
      from (select (s.ordinal - 1) / list_digests.size as number,
                   sha256(string_agg(
                       coalesce(
                           case when s.key is not null then usher.subject_digest(s.salt, s.ordinal, s.key)
                                when exists (select from usher.operation o
                                              where o.id = s.erased and o.kind = 'erasure' and o.outcome = 'committed') then s.digest end,
                           '\x00'),
                       '' order by s.ordinal)) as digest
              from usher.subject s
             where s.operation = list_digests.operation
               and s.ordinal > (list_digests.low - 1) / list_digests.size * list_digests.size
               and s.ordinal <= ((list_digests.high - 1) / list_digests.size + 1) * list_digests.size
             group by 1) b);
end
$$;

-- Refuses to go on with an act on many between two places where it is not about those with whom it was begun. What was begun
-- before the list was sealed says nothing of it.
create or replace function usher.refuse_other_list(whole usher.operation, low integer, high integer) returns void
language plpgsql stable
as $$
declare
    size constant integer := (whole.payload -> 'list' ->> 'size')::integer;
    found jsonb;
begin
    if size is null then return; end if;
    found := usher.list_digests(whole.id, size, refuse_other_list.low, refuse_other_list.high);
    if exists (select from generate_series((refuse_other_list.low - 1) / size, (refuse_other_list.high - 1) / size) as n (number)
                where found -> n.number::text is distinct from whole.payload -> 'list' -> 'digests' -> n.number::text) then
        raise exception '% is not about those with whom it was begun', whole.id
              using errcode = 'US003', detail = jsonb_build_object('refusal', 'other_list', 'operation', whole.id)::text;
    end if;
end
$$;

-- How far an act on many came: the place of the last subject that a part of it was about. Payloads are long, and there may be
-- thousands of parts: only the latest is read. Of a part that is forgotten its record still says to whom it was done, or what
-- it took back.
create or replace function usher.reached(bulk uuid) returns integer
language plpgsql stable
as $$
begin
    return (
    select greatest(
        (select (l.payload ->> 'last')::integer
           from (select p.payload
                   from usher.operation p
                  where p.parent = reached.bulk and p.kind = 'batch' and p.payload is not null
                  order by p.at desc limit 1) l),
        (select max(s.ordinal)
           from usher.operation p
           join usher.subject s on s.operation = reached.bulk and s.key = any (p.subjects || p.undoes::text)
          where p.parent = reached.bulk and p.kind = 'batch' and p.payload is null),
        0));
end
$$;

-- How far an act on many came that was begun and not finished, if the same is asked for again.
create or replace function usher.resumed(whole usher.operation, input text, request jsonb) returns jsonb
language plpgsql stable
as $$
declare
    parts record;
begin
    if whole.id is null then
        raise exception 'there is no bulk change %', request ->> 'resumes' using errcode = 'US004',
              detail = jsonb_build_object('refusal', 'no_bulk', 'operation', request ->> 'resumes')::text;
    end if;
    if usher.outcome(whole.id) <> 'running' then
        raise exception '% is not unfinished: it is %', whole.id, usher.outcome(whole.id) using errcode = 'US003',
              detail = jsonb_build_object('refusal', 'not_unfinished', 'operation', whole.id, 'outcome', usher.outcome(whole.id))::text;
    end if;
    if whole.payload ->> 'input' is distinct from resumed.input then
        raise exception '% was another change, or one of other users', whole.id
              using errcode = 'US002', detail = jsonb_build_object('refusal', 'other_bulk', 'operation', whole.id)::text;
    end if;
    select coalesce(sum(coalesce((b.payload ->> 'done')::bigint, cardinality(b.subjects))), 0) as done, coalesce(sum((b.payload ->> 'refused')::bigint), 0) as refused,
           coalesce(sum((select count(*) from usher.change c where c.operation = b.id)), 0) as changes,
           usher.reached(whole.id) as last,
           count(*) filter (where usher.outcome(b.id) = 'undone') as undone
      into parts
      from usher.operation b where b.parent = whole.id and b.kind = 'batch';
    if parts.undone > 0 then
        raise exception 'parts of % are undone; going on would leave them so', whole.id using errcode = 'US003',
              detail = jsonb_build_object('refusal', 'parts_undone', 'operation', whole.id)::text;
    end if;
    perform usher.refuse_other_list(whole, parts.last + 1, least(parts.last + 100, (whole.payload ->> 'listed')::integer));
    return jsonb_build_object(
        'outcome', 'resumed', 'operation', whole.id, 'now', whole.payload -> 'now', 'total', whole.payload -> 'total',
        'done', parts.done, 'refusals', parts.refused + coalesce((whole.payload ->> 'missing')::bigint, 0), 'changed', parts.changes,
        'subjects', (select coalesce(jsonb_agg(s.key order by s.ordinal), '[]')
                       from (select u.key, u.ordinal from usher.subject u
                              where u.operation = whole.id and u.ordinal > parts.last and u.key is not null order by u.ordinal limit 100) s));
end
$$;

-- Begins an act on many, or the undoing of one: {id, app, digest, kind, name, arguments, keys or selections, missing, now, dry,
-- reason, ticket}, or {id, undoes, ...}; with {resumes} it says how far one came that was begun, whose list need not be said again.
-- Whom it is about is settled here, once; `usher.batch` does it, part by part. Of two who begin the same at once, the second one
-- sees the first.
create or replace function usher.begin(request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set work_mem = '64MB'
as $$
declare
    is_dry constant boolean := coalesce((request ->> 'dry')::boolean, false);
    found record;
    act usher.act;
    undone usher.operation;
    definition jsonb;
    environment text;
    at timestamptz;
    given jsonb := '{}';
    chosen text[];
    selections constant jsonb := coalesce(nullif(request -> 'selections', 'null'), '[]');
    input text;
    words text;
    unfinished uuid;
    whole usher.operation;
    asked usher.operation;
    wanted jsonb;
    is_named boolean;
    salts bytea;
    digests jsonb;
    guarded jsonb;
    -- So many of them have a digest together: no part has to read much more than it is about.
    list_size constant integer := 1000;
begin
    perform usher.refuse_late(request);
    perform usher.refuse_open_path();
    guarded := usher.guarded();
    at := usher.instant(request ->> 'now');
    if request ->> 'undoes' is null then
        select * into found from usher.find_act(request);
        definition := (found.act).definition;
        perform usher.own_session(found.app);
        -- What nobody may do is nobody's to be asked for.
        perform usher.environment_for((found.act).kind, null, true);
        perform usher.refuse_forbidden((found.act).role, definition ->> 'command', request ->> 'request');
        environment := usher.environment_for((found.act).kind, request ->> 'reason', is_dry);
        given := usher.arguments(definition -> 'parameters', request -> 'arguments');
        -- Whom it is about is looked for once, where it begins.
        is_named := selections <> '[]' or coalesce(jsonb_typeof(request -> 'keys'), 'null') <> 'null' or request ->> 'resumes' is null;
        chosen := case when not is_named then '{}' when selections = '[]' then usher.keys(request -> 'keys', definition ->> 'key_type')
                       when not is_dry and request ->> 'resumes' is null then usher.selected(definition, selections, at, given) end;
        if selections = '[]' then perform usher.refuse_strangers(definition, chosen, at, given, null); end if;
        perform usher.refuse_beside(guarded);
        input := encode(sha256(convert_to(jsonb_build_array(
            (found.act).app, (found.act).digest, (found.act).name, given,
            case when selections = '[]' then to_jsonb(chosen) else selections end)::text, 'UTF8')), 'hex');
        words := encode(sha256(convert_to(jsonb_build_array(
            (found.act).app, (found.act).digest, (found.act).name, given)::text, 'UTF8')), 'hex');
        if not is_named then
            -- Whom it was begun with is on record: the same act goes on with them.
            input := (select o.payload ->> 'input' from usher.operation o
                       where o.id = (begin.request ->> 'resumes')::uuid and o.payload ->> 'words' = words);
        elsif selections = '[]' then
            -- Where somebody of them was forgotten meanwhile, what was begun is known by the others: whoever is gone is not found.
            input := coalesce(
                (select o.payload ->> 'input'
                   from usher.operation o
                  where o.kind = 'bulk' and o.payload ->> 'words' = words and not o.payload ? 'selections' and usher.outcome(o.id) = 'running'
                    and exists (select from usher.subject s where s.operation = o.id and s.key is null)
                    and chosen = array(select s.key from usher.subject s where s.operation = o.id and s.key is not null order by s.ordinal)
                  order by o.at desc limit 1), input);
        end if;
        wanted := jsonb_build_object(
            'kind', (found.act).kind, 'name', (found.act).name, 'arguments', usher.plain(definition, given), 'selections', nullif(selections, '[]'));
    else
        select null::usher.act as act, null::jsonb as app into found;
        select o.* into undone from usher.operation o where o.id = (begin.request ->> 'undoes')::uuid;
        perform usher.refuse_irrevocable_bulk(undone, begin.request);
        perform usher.refuse_forbidden(usher.role_of(undone), 'audit undo', request ->> 'request');
        environment := usher.environment_for(usher.kind_of_undoing(undone), request ->> 'reason', is_dry);
        definition := jsonb_build_object('command', 'audit undo', 'subject', 'nothing', 'parameters', '[]'::jsonb);
        chosen := array(select b.id::text from usher.operation b
                         where b.parent = undone.id and b.kind = 'batch' and usher.outcome(b.id) in ('committed', 'partial')
                         order by b.at desc);
        if cardinality(chosen) = 0 and request ->> 'resumes' is null then
            raise exception 'there is nothing of it left to undo' using errcode = 'US003', detail = jsonb_build_object('refusal', 'nothing_left')::text;
        end if;
        input := 'undo ' || undone.id;
        wanted := jsonb_build_object('kind', 'undo', 'undoes', undone.id);
    end if;
    if request ->> 'resumes' is not null then
        select o.* into whole from usher.operation o where o.id = (begin.request ->> 'resumes')::uuid and o.kind = 'bulk';
        return usher.resumed(whole, input, begin.request);
    end if;
    -- Taking an undoing back does again what takes two.
    act := case when undone.id is null then found.act when undone.undoes is not null then usher.act_of(undone) end;
    perform usher.refuse_alone(act, environment, request, is_dry);
    asked := usher.asked_for(
        request, act, coalesce((found.act).app, undone.app), definition ->> 'command', wanted,
        case when selections = '[]' and undone.id is null then chosen end, at, given, is_dry);
    if not usher.holds(array[hashtextextended('usher bulk ' || input, 0)]) then
        return jsonb_build_object('outcome', 'locked', 'locks', array[hashtextextended('usher bulk ' || input, 0)]);
    end if;
    select o.id into unfinished
      from usher.operation o
     where o.kind = 'bulk' and o.payload ->> 'input' = input and usher.outcome(o.id) = 'running'
     order by o.at desc limit 1;
    if unfinished is not null then
        raise exception 'the same change was begun and not finished, as operation %', unfinished
              using errcode = 'US006', detail = jsonb_build_object('refusal', 'unfinished', 'operation', unfinished)::text;
    end if;
    if is_dry then return jsonb_build_object('outcome', 'planned', 'total', cardinality(chosen), 'now', at::text); end if;
    perform usher.refuse_beside(guarded);
    -- Whom it is about is sealed with it.
    salts := usher.salts(cardinality(chosen));
    with listed as (
        insert into usher.subject (operation, ordinal, key, salt, digest)
        select (begin.request ->> 'id')::uuid, s.ordinal, s.key, s.salt, usher.subject_digest(s.salt, s.ordinal, s.key)
          from (select c.ordinal::integer as ordinal, c.key, substr(salts, (c.ordinal * 16 - 15)::integer, 16) as salt
                  from unnest(chosen) with ordinality as c (key, ordinal) offset 0) s
        returning subject.ordinal, subject.digest
    )
    select coalesce(jsonb_object_agg(b.number, encode(b.digest, 'hex')), '{}') into digests
      from (select (l.ordinal - 1) / list_size as number, sha256(string_agg(l.digest, '' order by l.ordinal)) as digest
              from listed l group by 1) b;
    perform usher.enter(
        (request ->> 'id')::uuid, 'bulk', 'committed', definition ->> 'command', coalesce((found.act).app, undone.app),
        coalesce((found.act).digest, undone.app_digest), null, undone.id, coalesce(usher.root_name(found.app), undone.root), null,
        usher.said(found.app, definition, environment, '{}', at, given, request)
            || jsonb_build_object(
                'target', case when undone.id is not null then undone.id::text
                               when selections = '[]' then cardinality(chosen) || ' users'
                               else (select string_agg('--' || s.name, ' ' order by s.place)
                                       from jsonb_array_elements_text(selections) with ordinality as s (name, place)) end,
                'arguments', nullif(usher.plain(definition, jsonb_strip_nulls(given)), '{}'),
                'kind', request -> 'kind', 'name', request -> 'name', 'selections', nullif(selections, '[]'),
                'input', input, 'words', words, 'now', at::text, 'total', cardinality(chosen),
                'listed', cardinality(chosen),
                'list', jsonb_build_object('size', list_size, 'digests', digests),
                'missing', case when request ->> 'missing' is not null then greatest((request ->> 'missing')::bigint, 0) end,
                'asked_by', asked.operator),
        request := asked.id);
    return jsonb_build_object('outcome', 'begun', 'operation', request ->> 'id', 'total', cardinality(chosen), 'now', at::text);
end
$$;

-- Records that an act on many is at its end, how many it was done to, and how many rows that changed, so that nobody has to count.
-- Who is none of those it was done to, nor was refused, was passed over: gone since it began, or no longer what it is for.
create or replace function usher.finish(whole usher.operation, id uuid) returns jsonb
language plpgsql volatile
as $$
declare
    sums record;
    passed bigint;
begin
    -- Of a part that is forgotten, those whom nobody forgot are done.
    select coalesce(sum(coalesce((b.payload ->> 'done')::bigint, cardinality(b.subjects))), 0) as done,
           coalesce(sum((b.payload ->> 'refused')::bigint), 0) as refused, coalesce((whole.payload ->> 'missing')::bigint, 0) as missing,
           coalesce(sum(coalesce(s.changes, (select count(*) from usher.change c where c.operation = b.id))), 0) as changed
      into sums
      from usher.operation b
      left join usher.sealed s on s.operation = b.id
     where b.parent = whole.id and b.kind = 'batch';
    if whole.undoes is null then
        passed := nullif(greatest((whole.payload ->> 'listed')::bigint - sums.done - sums.refused, 0), 0);
    end if;
    perform usher.enter(
        finish.id, 'end', case when sums.refused + sums.missing = 0 then 'committed' else 'partial' end, whole.command, whole.app,
        whole.app_digest, whole.id, null, whole.root, null,
        jsonb_build_object('done', sums.done, 'refused', sums.refused + sums.missing, 'changed', sums.changed, 'passed', passed));
    return jsonb_build_object('outcome', 'exhausted', 'done', sums.done, 'refusals', sums.refused + sums.missing, 'passed', passed);
end
$$;

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
