-- The functions that run the statements of an action.

-- Runs one statement under the search path of the app, which the triggers of the app expect. Returns the number of written rows, and their
-- row addresses if the statement returns them. While this path is set, the function qualifies all names. Temporary objects are last in the
-- path, so that they can't replace objects of the app or the catalog and run as the owner.
--
-- The function removes secrets from errors: the detail of a constraint violation contains the whole row, and other texts may contain an
-- argument.
create or replace function usher.run_step(
    app jsonb, act usher.action, statement text, tells boolean, at timestamptz, keys text[], arguments jsonb, summary text,
    out tables text[], out places text[], out written bigint
)
language plpgsql volatile
as $$
declare
    place record;
    complaint text;
    detail text;
    hint text;
    schema text;
    relation text;
    secret text;
begin
    tables := '{}';
    places := '{}';
    perform pg_catalog.set_config(
        'search_path', pg_catalog.concat_ws(', ', nullif(pg_catalog.btrim(run_step.app ->> 'path'), ''), 'pg_temp'), true);
    if tells then
        for place in execute run_step.statement using run_step.at, run_step.keys, run_step.arguments loop
            tables := pg_catalog.array_append(tables, place.tableoid);
            places := pg_catalog.array_append(places, place.ctid);
        end loop;
        written := pg_catalog.cardinality(places);
    else
        execute run_step.statement using run_step.at, run_step.keys, run_step.arguments;
        get diagnostics written = row_count;
    end if;
    perform pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
exception when others then
    if usher.has_other_cause(sqlstate) then raise; end if;
    get stacked diagnostics complaint = message_text, detail = pg_exception_detail, hint = pg_exception_hint,
        schema = schema_name, relation = table_name;
    if left(sqlstate, 2) in ('23', '44') and not usher.may_see(app, schema, relation) then detail := ''; end if;
    if left(sqlstate, 2) = '22' and usher.hidden_columns(run_step.act) <> '[]' then
        complaint := regexp_replace(split_part(complaint, ':', 1), '"[^"]*"', '"..."', 'g');
        detail := '';
    end if;
    for secret in
        select a.value
          from jsonb_array_elements(run_step.act.parameters) p
          join jsonb_each_text(run_step.arguments) a on a.key = p.value ->> 'name' and a.value <> ''
         where (p.value ->> 'secret')::boolean
    loop
        complaint := replace(complaint, secret, '(secret)');
        detail := replace(detail, secret, '(secret)');
        hint := replace(hint, secret, '(secret)');
    end loop;
    raise sqlstate 'UA005' using message = jsonb_build_object(
        'state', sqlstate, 'message', complaint, 'detail', nullif(detail, ''), 'hint', nullif(hint, ''),
        'table', case when relation <> '' then schema || '.' || relation end, 'step', run_step.summary)::text;
end
$$;

-- Runs the statements of an action for some subjects, then checks the deferred constraints. Returns the addresses of the written rows, and
-- their number by relation. After a statement that restores columns, a query finds the columns that triggers overwrote. Later statements
-- get the names of these columns.
create or replace function usher.run_steps(
    app jsonb, act usher.action, relations jsonb, deferred text, keys text[], at timestamptz, arguments jsonb,
    inout tables text[], inout places text[], inout told jsonb, inout overwritten jsonb
)
language plpgsql volatile
as $$
declare
    step jsonb;
    target jsonb;
    name text;
    telling text;
    own record;
begin
    for step in select s.of from jsonb_array_elements(run_steps.act.steps) with ordinality as s (of, place) order by s.place loop
        target := step -> 'targets' -> (step ->> 'counted')::integer;
        name := usher.relation_name(target);
        telling := (step ->> 'sql') || E'\n' || (step ->> 'returning');
        if telling is not null and relations -> name ->> 'distributed' is not null then
            telling := usher.returning_sql(step, (relations -> name ->> 'distributed')::oid);
        end if;
        select r.* into own
          from usher.run_step(app, act, coalesce(telling, step ->> 'sql'), telling is not null,
                          run_steps.at, run_steps.keys, run_steps.arguments || overwritten, step ->> 'summary') r;
        tables := tables || own.tables;
        places := places || own.places;
        if target is not null then
            told := told || jsonb_build_object(name, coalesce((told ->> name)::bigint, 0) + own.written);
        end if;
        if step ->> 'rows' is not null then
            overwritten := overwritten || jsonb_build_object(name, coalesce(overwritten -> name, '[]') || (
                select coalesce(jsonb_agg(distinct n.name), '[]')
                  from jsonb_array_elements(usher.current_rows(jsonb_build_array(step))) r (of),
                       unnest(usher.differing(r.of -> 'image', r.of -> 'before')) n (name)));
        end if;
    end loop;
    if deferred is not null then
        perform usher.run_step(app, act, 'set constraints ' || deferred || ' immediate', false, null, null, run_steps.arguments, null);
        -- If the action runs for each subject separately, the function defers the constraints again for the next subject.
        if act.each is not null then execute 'set constraints ' || deferred || ' deferred'; end if;
    end if;
end
$$;

-- Runs the statements of an action once, for all subjects together or for each subject separately. Returns the server's row counts, the row
-- addresses that the statements returned, and the refusals of single subjects. `told_all` has the tables for which the statements returned
-- every written row. If the action runs for each subject separately, it sees the changes for the earlier subjects.
create or replace function usher.run_pass(
    app jsonb, act usher.action, relations jsonb, deferred text, keys text[], at timestamptz, arguments jsonb
) returns jsonb
language plpgsql volatile
as $$
declare
    before constant jsonb := usher.counters();
    since jsonb;
    places jsonb;
    objections jsonb := '[]';
    warnings jsonb := '[]';
    done record;
    unit text;
    judgement jsonb;
begin
    select '{}'::text[] as tables, '{}'::text[] as places, '{}'::jsonb as told, '{}'::jsonb as overwritten into done;
    if act.each is null then
        select s.* into done
          from usher.run_steps(app, act, relations, deferred, run_pass.keys, at, arguments, done.tables, done.places, done.told, done.overwritten) s;
    else
        for unit in execute act.each using at, run_pass.keys, arguments loop
            begin
                judgement := usher.judged(act, array[unit], at, arguments);
                if judgement -> 'refused' = '{}' then
                    select s.* into done
                      from usher.run_steps(app, act, relations, deferred, array[unit], at, arguments, done.tables, done.places, done.told, done.overwritten) s;
                    warnings := warnings || (judgement -> 'warnings');
                else
                    objections := objections || (judgement -> 'refused' -> unit);
                end if;
            exception when sqlstate 'UA005' then
                objections := objections || jsonb_build_object('key', unit, 'error', sqlerrm::jsonb);
            end;
        end loop;
    end if;
    since := usher.counted_since(before);
    places := (
        select coalesce(jsonb_object_agg(p.relation, p.places), '{}')
          from (select t.relation, jsonb_agg(case when t.relation = w.partition then w.place else w.place || ' ' || w.partition end) as places
                  from unnest(done.tables, done.places) as w (partition, place)
                  join (select p.partition, usher.counted_as(p.partition::oid)::text as relation
                          from (select distinct p.partition from unnest(done.tables) p (partition)) p) t using (partition)
                 group by 1) p);
    return jsonb_build_object(
        'elsewhere', since -> 'elsewhere', 'counts', since -> 'counts', 'places', places,
        'objections', objections, 'warnings', warnings, 'told', done.told, 'overwritten', done.overwritten,
        'told_all', (select coalesce(jsonb_agg(c.key), '[]') from jsonb_each(since -> 'counts') c
                      where jsonb_array_length(places -> c.key) = (c.value ->> 0)::bigint + (c.value ->> 1)::bigint + (c.value ->> 2)::bigint));
end
$$;

-- The subjects for which the server rejects the action, each with its error. Finds them by bisection: runs the action for each half of the
-- subjects, and rolls each run back.
create or replace function usher.rejected_subjects(
    app jsonb, act usher.action, relations jsonb, deferred text, keys text[], at timestamptz, arguments jsonb
) returns jsonb
language plpgsql volatile
as $$
declare
    middle constant integer := cardinality(rejected_subjects.keys) / 2;
begin
    begin
        perform usher.run_steps(app, act, relations, deferred, rejected_subjects.keys, at, arguments, '{}', '{}', '{}', '{}');
        raise sqlstate 'UA001';
    exception
        when sqlstate 'UA001' then return '[]';
        when sqlstate 'UA005' then
            if cardinality(rejected_subjects.keys) = 1 then
                return jsonb_build_array(jsonb_build_object('key', rejected_subjects.keys[1], 'error', sqlerrm::jsonb));
            end if;
    end;
    return usher.rejected_subjects(app, act, relations, deferred, rejected_subjects.keys[:middle], at, arguments)
           || usher.rejected_subjects(app, act, relations, deferred, rejected_subjects.keys[middle + 1:], at, arguments);
end
$$;
