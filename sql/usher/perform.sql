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
