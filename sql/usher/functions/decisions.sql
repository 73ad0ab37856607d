-- The functions that evaluate refusals, decisions, impacts and selections.
--
-- A promise of an action (`@expect`) is the outcome that a decision must have after the action.

-- The refusals and warnings of an action for some subjects: the first refusal of each subject, and all warnings.
create or replace function usher.judged(act usher.action, keys text[], at timestamptz, arguments jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    judgement jsonb := '{"refused": {}, "warnings": []}';
begin
    if judged.act.judgement is not null then
        execute judged.act.judgement into judgement using judged.at, judged.keys, judged.arguments;
    end if;
    -- Without this check, an action that another version of usher compiled would refuse nobody.
    if jsonb_typeof(judgement -> 'refused') is distinct from 'object' then
        raise exception 'the installed action `%` belongs to another version of usher', judged.act.command
              using errcode = 'US008', detail = 'other_file', hint = 'as the owner of the database, run `usher install`';
    end if;
    return judgement;
end
$$;

-- The JSON value that a query of an app file returns, or the error if it fails.
create or replace function usher.tried(query text, at timestamptz, keys text[], arguments jsonb, out answer jsonb, out error text)
language plpgsql volatile
as $$
begin
    execute tried.query into answer using tried.at, tried.keys, tried.arguments;
exception when others then
    if usher.has_other_cause(sqlstate) then raise; end if;
    error := sqlerrm;
end
$$;

-- The current outcomes of an app's decisions for some users, and the errors of decisions that usher could not evaluate.
create or replace function usher.standing(app jsonb, users text[], at timestamptz) returns jsonb
language plpgsql volatile
as $$
declare
    decision jsonb;
    own record;
    answers jsonb := '[]';
    unavailable jsonb := '{}';
begin
    for decision in select d.of from jsonb_array_elements(standing.app -> 'decisions') as d (of) where cardinality(standing.users) > 0 loop
        select t.* into own
          from usher.tried(format('select jsonb_agg(jsonb_build_array(d.key, %L, d.per, d.outcome)) from (%s) d (key, per, outcome)',
                                  decision ->> 'name', decision ->> 'sql'), standing.at, standing.users, '{}') t;
        answers := answers || coalesce(own.answer, '[]');
        if own.error is not null then unavailable := unavailable || jsonb_build_object(decision ->> 'name', own.error); end if;
    end loop;
    return jsonb_build_object('answers', answers, 'unavailable', unavailable);
end
$$;

-- The facts for each `@impact` sentence of an action, such as a number of users; null if usher can't read them. With `before`, each element
-- is a pair of the old and the new facts.
create or replace function usher.impacts(act usher.action, at timestamptz, arguments jsonb, before jsonb default null) returns jsonb
language sql volatile
as $$
    select coalesce(jsonb_agg(case when impacts.before is null then t.answer
                                   else jsonb_build_array(impacts.before -> (i.place - 1)::integer, t.answer) end order by i.place), '[]')
      from jsonb_array_elements_text(act.impacts) with ordinality as i (query, place)
     cross join lateral usher.tried(i.query, impacts.at, '{}', impacts.arguments) t
$$;

-- The users for whom a decision doesn't have the outcome that an action promises, each with the promise and the actual outcome. If a
-- decision has several outcomes for a user (@per), all of them must be as promised. If `about` limits the promise, only the outcomes in
-- `about` count. A missing outcome also breaks the promise.
create or replace function usher.unkept(act usher.action, users text[], subjects text[], about jsonb, standing jsonb) returns jsonb
language sql stable set enable_hashjoin = on
as $$
    select coalesce(jsonb_agg(u.objection order by u.place), '[]')
      from (select distinct on (w.place) w.place,
                   jsonb_build_object('key', w.key, 'promise', p.place - 1, 'outcome', a.outcome,
                                      'unavailable', standing -> 'unavailable' -> (p.of ->> 'decision'),
                                      'unanswered', a.user is null) as objection
              from unnest(unkept.users) with ordinality as w (key, place)
             cross join jsonb_array_elements(act.expects) with ordinality as p (of, place)
             cross join lateral (select null where p.of ->> 'about' is null
                                  union all
                                 select b.value ->> 'one'
                                   from jsonb_array_elements(unkept.about) as b (value)
                                  where (b.value ->> 'place')::bigint = p.place and b.value ->> 'subject' = any (unkept.subjects)
                                    and b.value ->> 'owner' = w.key) as o (one)
              left join (select x.value ->> 0, x.value ->> 1, x.value ->> 2, x.value ->> 3, x.place
                           from jsonb_array_elements(standing -> 'answers') with ordinality as x (value, place)
                        ) as a ("user", decision, per, outcome, place)
                on a.user = w.key and a.decision = p.of ->> 'decision' and (p.of ->> 'about' is null or a.per = o.one)
             where a.user is null or a.outcome is null or not p.of -> 'outcomes' ? a.outcome
             order by w.place, p.place, a.place) u
$$;

-- The outcomes of the decisions for some users before and after a change, in the order of the users and of the app file.
create or replace function usher.decided(app jsonb, users text[], before jsonb, after jsonb) returns jsonb
language sql immutable
as $$
    select coalesce(
               jsonb_agg(jsonb_build_object('user', d.user, 'decision', d.decision, 'per', d.per, 'before', d.before, 'after', d.after)
                         order by u.place, n.place, d.per collate "C"), '[]')
      from (select x.value ->> 0 as "user", x.value ->> 1 as decision, x.value ->> 2 as per,
                   min(x.value ->> 3) filter (where not s.is_after) as before, min(x.value ->> 3) filter (where s.is_after) as after
              from (values (false, decided.before), (true, decided.after)) as s (is_after, standing)
             cross join lateral jsonb_array_elements(s.standing -> 'answers') x
             group by 1, 2, 3) d
      join (select k.key, min(k.place) from unnest(decided.users) with ordinality as k (key, place) group by k.key) as u (key, place)
        on u.key = d.user
      left join jsonb_array_elements(app -> 'decisions') with ordinality as n (of, place) on n.of ->> 'name' = d.decision
$$;

-- The decisions whose outcome changed; null if no outcome changed.
create or replace function usher.changed_decisions(decisions jsonb) returns jsonb
language sql immutable
as $$
    select nullif(jsonb_path_query_array(coalesce(changed_decisions.decisions, '[]'), '$[*] ? (@.before != @.after)'), '[]')
$$;

-- The @per values to which the promises of an action are limited, for decisions with several outcomes for a user, each as {place, subject,
-- owner, one}: the number of the promise, the subject, the user, and the @per value.
create or replace function usher.promised_outcomes(act usher.action, keys text[], at timestamptz, arguments jsonb) returns jsonb
language sql volatile
as $$
    select usher.collected(
        array(select e.value ->> 'about' from jsonb_array_elements(act.expects) e where e.value ->> 'about' is not null),
        promised_outcomes.at, promised_outcomes.keys, promised_outcomes.arguments)
$$;

-- The part of an operation's record that describes the decisions after a batch that ran as one statement. The record lists the promised
-- outcomes, which usher checked. It also lists the decisions that usher didn't evaluate, because evaluating them would take as long as
-- changing the rows.
create or replace function usher.answered(app jsonb, act usher.action) returns jsonb
language sql immutable
as $$
    select jsonb_build_object(
        'answered', (select jsonb_agg(jsonb_build_object('decision', e.value -> 'decision', 'outcomes', e.value -> 'outcomes'))
                       from jsonb_array_elements(act.expects) e),
        'unasked', (select jsonb_agg(d.value -> 'name' order by d.place)
                      from jsonb_array_elements(app -> 'decisions') with ordinality as d (value, place)
                     where jsonb_path_exists(act.expects, '$[*].decision ? (@ == $name)', jsonb_build_object('name', d.value -> 'name')) is not true))
$$;

-- A digest of everything that must be the same in a preview and in the change. It covers the overwritten values, the decisions before and
-- after, the refusals and the warnings. If the action sets a column to the current time, the digest contains only a flag if the old value
-- was NULL. The salt prevents guessing the values. The digest skips columns in `hidden`, which a requester can't read.
create or replace function usher.fingerprint(report jsonb, at timestamptz, salt text, hidden jsonb default '[]') returns text
language sql volatile
as $$
    with h as (select array_to_string(parse_ident(p.path), '.') as name from jsonb_array_elements_text(fingerprint.hidden) p (path))
    select salt || ':' || encode(sha256(convert_to(jsonb_build_array(salt, c.changes, report -> 'decisions', o.refused, w.warnings)::text, 'UTF8')), 'hex')
      from (select jsonb_agg(c.matter order by c.matter::text) as changes
              from (select case x.value ->> 'kind'
                           when 'insert' then jsonb_build_array('+', x.value -> 'table')
                           when 'delete' then jsonb_build_array('-', x.value -> 'table', x.value -> 'key')
                           else jsonb_build_array(
                               '~', x.value -> 'table', x.value -> 'key',
                               (select jsonb_agg(jsonb_build_array(
                                           n.value -> 0, case when (n.value ->> 1)::oid in ('timestamptz'::regtype, 'timestamp'::regtype)
                                                              then case when (n.value ->> 3)::timestamptz between at and clock_timestamp()
                                                                        then to_jsonb(n.value ->> 2 is null) else n.value -> 2 end
                                                              else n.value -> 2 end))
                                  from jsonb_array_elements(x.value -> 'columns') n
                                 where concat(x.value ->> 'table', '.', n.value ->> 0) not in (select h.name from h)),
                               (select jsonb_agg(s.name) from jsonb_array_elements_text(x.value -> 'secrets') s (name)
                                 where concat(x.value ->> 'table', '.', s.name) not in (select h.name from h))) end as matter
                      from jsonb_array_elements(report -> 'changes') x) c) c,
           (select jsonb_agg(jsonb_build_array(r.value -> 'key', r.value -> 'remark', r.value -> 'promise') order by r.value ->> 'key') as refused
              from jsonb_array_elements(report -> 'refused') r) o,
           (select jsonb_agg(jsonb_build_array(w.value -> 'key', w.value -> 'remark') order by w.value ->> 'key', w.value -> 'remark') as warnings
              from jsonb_array_elements(report -> 'warnings') w) w
$$;

-- The part of a report that doesn't need the action to run: the decisions before the action, the refusals of the app file, and warnings.
create or replace function usher.report_before(report jsonb) returns jsonb
language sql immutable
as $$
    select report || jsonb_build_object(
        'changes', '[]'::jsonb, 'refused', jsonb_path_query_array(report, '$.refused[*] ? (exists (@.remark))'),
        'decisions', (select coalesce(jsonb_agg(d.value - 'after' order by d.place), '[]')
                        from jsonb_array_elements(report -> 'decisions') with ordinality as d (value, place)
                       where d.value -> 'before' <> 'null'))
$$;

-- The subjects for which all given selections are true. If the action declares `@each`, the subjects are in the order of its column;
-- otherwise in the order in which the server finds them. Sorting a million subjects in the order of their stored rows didn't make changes
-- faster.
create or replace function usher.selected(act usher.action, selections jsonb, at timestamptz, arguments jsonb) returns text[]
language plpgsql volatile
as $$
declare
    unknown constant text := (select s.name from jsonb_array_elements_text(selections) s (name) where (act.selections ? s.name) is not true limit 1);
    found text[];
    repeated text;
begin
    if unknown is not null then
        raise exception 'the action `%` has no selection %', act.command, unknown
              using errcode = 'US002', detail = 'no_selection';
    end if;
    found := usher.query_keys(act.selections -> (selections ->> 0) ->> 'all', selected.at, '{}', selected.arguments);
    found := usher.matching_keys(act, found, selected.at, selected.arguments, selections - 0, is_listed => true);
    if act.each is not null then found := usher.query_keys(act.each, selected.at, found, selected.arguments); end if;
    repeated := (select k.key from unnest(found) as k (key) group by k.key having count(*) > 1 limit 1);
    if repeated is not null then
        raise exception 'the select of the app file returns the key % more than once; nothing was changed', repeated
              using errcode = 'US003', detail = 'listed_twice',
                    hint = 'the select in the app file must return one row for each key';
    end if;
    return found;
end
$$;

-- The given subjects that the app file lists and for which all given selections are true, in the given order.
create or replace function usher.matching_keys(
    act usher.action, keys text[], at timestamptz, arguments jsonb, selections jsonb default null, is_listed boolean default false
) returns text[]
language plpgsql volatile
as $$
declare
    query text;
    found text[] := matching_keys.keys;
begin
    for query in
        select act.listed where not is_listed
         union all
        select act.selections -> s.name ->> 'of' from jsonb_array_elements_text(coalesce(selections, '[]')) s (name)
    loop
        continue when query is null;
        -- `is true` keeps the planner from making a join, which would compare each key with each row.
        execute format('select coalesce(array_agg(k.key order by k.place), ''{}'')
                          from unnest($2) with ordinality as k (key, place) where (k.key in (select q.key from (%s) q (key))) is true', query)
           into found using matching_keys.at, found, matching_keys.arguments;
    end loop;
    return found;
end
$$;
