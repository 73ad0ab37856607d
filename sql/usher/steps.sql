-- Runs the statements of an act for some subjects, and lets what is deferred have its say: which row versions they wrote,
-- and how many rows they say they wrote, by what they wrote. A statement that sets columns back is asked which of them are not as
-- it set them: a trigger overwrote these, and the statements behind it are told.
create or replace function usher.steps(
    app jsonb, act jsonb, relations jsonb, deferred text, keys text[], at timestamptz, arguments jsonb,
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
    names jsonb;
begin
    for step in select s.of from jsonb_array_elements(steps.act -> 'steps') with ordinality as s (of, place) order by s.place loop
        target := step -> 'targets' -> (step ->> 'counted')::integer;
        name := usher.relation_name(target);
        telling := case when step ->> 'returning' is null or (relations -> name ->> 'is_view')::boolean then null
                        when relations -> name ->> 'distributed' is null then (step ->> 'sql') || E'\n' || (step ->> 'returning')
                        else usher.telling(step, (relations -> name ->> 'distributed')::oid) end;
        select r.* into own
          from usher.step(app, act, coalesce(telling, step ->> 'sql'), telling is not null,
                          steps.at, steps.keys, steps.arguments || overwritten, step ->> 'summary') r;
        tables := tables || own.tables;
        places := places || own.places;
        if target is not null then
            told := told || jsonb_build_object(name, coalesce((told ->> name)::bigint, 0) + own.written);
        end if;
        if step ->> 'apart' is not null then
            execute format('select jsonb_agg(distinct n.name) from (%s) a, unnest(a.names) n (name)', step ->> 'apart') into names;
            overwritten := overwritten || jsonb_build_object(name, coalesce(overwritten -> name, '[]') || coalesce(names, '[]'));
        end if;
    end loop;
    if deferred is not null then
        perform usher.step(app, act, 'set constraints ' || deferred || ' immediate', false, null, null, steps.arguments, null);
        -- One by one, what is deferred has its say about each, and is deferred again for the next.
        if act ->> 'each' is not null then execute 'set constraints ' || deferred || ' deferred'; end if;
    end if;
end
$$;
