-- Does a part of an act on many by one statement, and takes it down; NULL where the thorough way has to, and nothing is done.
-- A part is a list of keys: to look them up one by one costs the same however many others there are.
create or replace function usher.part_at_once(
    whole usher.operation, app jsonb, act jsonb, id uuid, keys text[], at timestamptz, arguments jsonb, place jsonb
) returns jsonb
language plpgsql volatile
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set random_page_cost = 1.1
set max_parallel_workers_per_gather = 0 set work_mem = '32MB'
as $$
declare
    targets constant jsonb := usher.targets(act);
    relations constant jsonb := usher.written(targets);
    earlier uuid;
    judged text;
    refused jsonb;
    subjects text[] := part_at_once.keys;
    selection text;
    unkept jsonb;
    guarded constant jsonb := usher.guarded();
    changed bigint;
    own jsonb;
begin
    -- Nor is there such a statement for rows that lie on other servers.
    if jsonb_path_exists(relations, '$.*.distributed ? (@ != null)') then return null; end if;
    -- What comes with it is learned from a part that was looked at to the last row.
    select b.id into earlier from usher.operation b
     where b.parent = whole.id and b.kind = 'batch' and b.outcome = 'committed' order by b.at desc limit 1;
    if earlier is null then return null; end if;
    perform usher.refuse_obstacle(r.value ->> 'obstacle', r.value ->> 'place') from jsonb_each(relations) r order by r.key;
    perform usher.refuse_hidden(targets);
    -- Whoever is selected is listed.
    if coalesce(whole.payload -> 'selections', '[]') = '[]' then subjects := usher.listed(act, subjects, at, arguments); end if;
    judged := case when jsonb_array_length(coalesce(whole.payload -> 'selections', '[]')) = 1
                   then act -> 'selections' -> (whole.payload -> 'selections' ->> 0) ->> 'judged' end;
    if judged is not null then
        -- Whom it selects and whom it refuses is one look at each.
        execute format(
            'select coalesce(array_agg(j.key) filter (where (j.held[1] < $4) is not true), ''{}''),
                    coalesce(jsonb_object_agg(coalesce(j.key, ''''), jsonb_build_object(''key'', j.key, ''remark'', j.held[1], ''facts'', j.facts))
                               filter (where j.held[1] < $4), ''{}'')
               from (select j.key, j.held, case when j.held <> ''{}'' then j.facts end as facts from (%s) j offset 0) j', judged)
           into subjects, refused using at, subjects, arguments, (act ->> 'refusals')::integer;
        if refused ? '' then return null; end if;
    else
        for selection in select jsonb_array_elements_text(coalesce(whole.payload -> 'selections', '[]')) loop
            execute format('select coalesce(array_agg(s.key), ''{}'') from (%s) s (key)', act -> 'selections' -> selection ->> 'of')
               into subjects using at, subjects, arguments;
        end loop;
        refused := usher.judged(act, subjects, at, arguments) -> 'refused';
        if refused ? '' then return null; end if;
        if refused <> '{}' then
            subjects := array(select k.key from unnest(subjects) k (key) where k.key not in (select jsonb_object_keys(refused)));
        end if;
    end if;
    perform usher.refuse_beside(guarded);
    loop
        if cardinality(subjects) = 0 then return null; end if;
        own := part_at_once.place
               || jsonb_build_object('done', cardinality(subjects), 'refused', (select count(*) from jsonb_object_keys(refused)));
        begin
            perform usher.enter(
                part_at_once.id, 'batch', 'committed', whole.command, whole.app, whole.app_digest, whole.id, null, whole.root,
                usher.concerned(act, subjects, at, arguments),
                usher.said(app, act, usher.environment_name(), subjects, at, '{}', '{}') || own || usher.answered(app, act));
            changed := usher.updated_at_once(app, act, relations, earlier, part_at_once.id, subjects, at, arguments);
            if changed is null or changed = 0 then raise sqlstate 'UA006'; end if;
            exit;
        exception
            when sqlstate 'UA006' then return null;
            -- It is done again without those for whom it would not come to what it promises.
            when sqlstate 'UA007' then unkept := sqlerrm::jsonb;
        end;
        refused := refused || unkept;
        subjects := array(select s.key from unnest(subjects) with ordinality as s (key, place) where not unkept ? s.key order by s.place);
    end loop;
    return jsonb_build_object(
        'outcome', 'done', 'subjects', '[]'::jsonb, 'warnings', '[]'::jsonb, 'impacts', '[]'::jsonb,
        'refused', (select coalesce(jsonb_agg(r.value order by r.key), '[]') from jsonb_each(refused) r),
        'done', own -> 'done', 'refusals', own -> 'refused', 'changed', changed, 'operation', part_at_once.id);
end
$$;
