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
