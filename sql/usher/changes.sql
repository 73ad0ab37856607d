-- Runs the statements of an act for good and says what they changed, to the last row that the server counted, triggers and
-- cascades included: learn, roll back, snapshot, run, compare.
--
-- The tables are those whose counters moved. The rows come from what the statements return; where that is not all that was
-- counted, from the row versions themselves. What is counted and not found stops the act.
create or replace function usher.changes(
    app jsonb, act jsonb, relations jsonb, keys text[], at timestamptz, arguments jsonb
) returns jsonb
language plpgsql volatile
as $$
declare
    -- Tells whether a secret changed, and means nothing to the next one who asks.
    salt constant text := gen_random_uuid()::text;
    learned jsonb;
    done jsonb;
    shapes jsonb;
    known jsonb;
    others text[];
    beside jsonb;
    images jsonb := '{}';
    found jsonb := '[]';
    own jsonb;
    entry record;
begin
    begin
        learned := usher.pass(app, act, relations, changes.keys, at, arguments);
        shapes := usher.shapes(app, learned);
        known := usher.written_keys(shapes, learned);
        others := usher.others(app, act, changes.keys, at, arguments, shapes, learned, false);
        beside := usher.users_beside(app, act, changes.keys, at, arguments, shapes, learned, null);
        raise sqlstate 'UA001';
    exception when sqlstate 'UA001' then null;
    end;
    perform usher.refuse_uncounted(relations, learned -> 'told', learned -> 'counts');
    if learned ->> 'elsewhere' is not null then perform usher.refuse_obstacle('foreign', learned -> 'elsewhere' ->> 0); end if;
    -- What the server or a rule says against single subjects leaves its trace in the counters: without them, all there is can
    -- be accounted for.
    if jsonb_path_exists(learned -> 'objections', '$[*].error') then return learned; end if;
    perform usher.refuse_loose(app, act, relations, changes.keys, at, arguments, learned -> 'counts', known);
    perform usher.refuse_others(app, act, others || usher.others(app, act, changes.keys, at, arguments, shapes, learned, true));
    beside := (select jsonb_build_object('users', count(distinct u.key), 'tables', jsonb_agg(distinct b.name))
                 from (select * from jsonb_each(beside -> 'users')
                       union all
                       select * from jsonb_each(usher.users_beside(
                           app, act, changes.keys, at, arguments, shapes, learned, beside -> 'written') -> 'users')) b (name, users)
                cross join lateral jsonb_array_elements_text(b.users) u (key)
               having count(*) > 0);
    for entry in
        select c.key as oid, c.value as counts, s.value as shape
          from jsonb_each(learned -> 'counts') c join jsonb_each(shapes) s on s.key = c.key
         where usher.has_key(s.value)
    loop
        own := coalesce(known -> entry.oid, '[]');
        if (entry.counts ->> 2)::bigint > 0 then
            own := usher.distinct_keys(own, usher.row_keys(
                entry.shape, case when usher.tells_all(learned, entry.oid) then 'places' else 'rolled back' end,
                learned -> 'places' -> entry.oid));
        end if;
        if own = '[]' then continue; end if;
        images := images || jsonb_build_object(entry.oid, usher.images(entry.shape, own, salt));
        -- A row that was not there before may be one whose key was written over.
        if (entry.counts ->> 1)::bigint > 0 and jsonb_array_length(images -> entry.oid) < jsonb_array_length(own) then
            own := usher.distinct_keys(own, usher.row_keys(entry.shape, 'rolled back', null));
            images := images || jsonb_build_object(entry.oid, usher.images(entry.shape, own, salt));
        end if;
    end loop;

    done := usher.pass(app, act, relations, changes.keys, at, arguments);
    perform usher.refuse_uncounted(relations, done -> 'told', done -> 'counts');
    if done ->> 'elsewhere' is not null then perform usher.refuse_obstacle('foreign', done -> 'elsewhere' ->> 0); end if;
    -- Temporary tables may be made anew each time, and concern nobody.
    if exists (select from jsonb_each(shapes) s where not done -> 'counts' ? s.key)
       or exists (select from jsonb_object_keys(done -> 'counts') k (oid) join pg_class c on c.oid = k.oid::oid
                   where c.relpersistence <> 't' and not shapes ? k.oid) then
        raise exception 'the statements touch other tables each time they run' using errcode = 'US001', detail = jsonb_build_object('refusal', 'restless')::text;
    end if;
    known := usher.written_keys(shapes, done);
    for entry in
        select c.key as oid, c.value as counts, s.value as shape
          from jsonb_each(done -> 'counts') c join jsonb_each(shapes) s on s.key = c.key
         order by s.value ->> 'name'
    loop
        if not usher.has_key(entry.shape) then
            -- Rows without a key can be told apart only when they are new.
            if entry.counts ->> 1 <> '0' or entry.counts ->> 2 <> '0' then
                raise exception 'this changes rows of %, which has no key to tell them apart', entry.shape ->> 'name'
                      using errcode = 'US003', detail = jsonb_build_object('refusal', 'keyless', 'table', entry.shape ->> 'name')::text;
            end if;
            own := usher.new_rows(
                entry.shape, case when usher.tells_all(done, entry.oid) then done -> 'places' -> entry.oid end);
            perform usher.account_for(entry.shape, own, entry.counts, jsonb_array_length(own));
        else
            own := (select coalesce(jsonb_agg(i.value -> 'k'), '[]') from jsonb_array_elements(images -> entry.oid) i);
            known := known || jsonb_build_object(
                entry.oid, usher.distinct_keys(own, coalesce(known -> entry.oid, '[]')));
            own := usher.differences(
                entry.shape, coalesce(images -> entry.oid, '[]'), known -> entry.oid,
                (entry.counts ->> 0)::bigint > 0 and (entry.counts ->> 2)::bigint > 0 and entry.counts ->> 1 = '0', salt);
            perform usher.account_for(entry.shape, own, entry.counts, jsonb_array_length(known -> entry.oid));
        end if;
        found := found || own;
    end loop;
    return done || jsonb_build_object('changes', found, 'others', beside);
end
$$;
