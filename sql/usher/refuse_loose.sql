-- Refuses statements that change rows without regard to their subjects: what keeps to them changes nothing where there is
-- nobody. A row that is called as one of them is speaks for itself; only of others are the statements asked.
create or replace function usher.refuse_loose(
    app jsonb, act jsonb, relations jsonb, keys text[], at timestamptz, arguments jsonb, counts jsonb, written jsonb
) returns void
language plpgsql volatile
as $$
declare
    kept constant jsonb := (select coalesce(jsonb_agg(s.value order by s.place), '[]')
                              from jsonb_array_elements(act -> 'steps') with ordinality as s (value, place)
                             where (s.value ->> 'keeps')::boolean);
    nobody text[];
    changed bigint := 0;
begin
    if kept = '[]' or not exists (
        select from jsonb_each(refuse_loose.counts) c
         where (c.value ->> 2)::bigint > 0
            or (c.value ->> 1)::bigint > 0
               and exists (select from jsonb_array_elements(written -> c.key) with ordinality as w (key, place)
                             left join lateral jsonb_array_elements_text(w.key) as v (value) on true
                             left join unnest(refuse_loose.keys) as k (key) on k.key = v.value
                            group by w.place
                           having count(k.key) = 0)) then
        return;
    end if;
    -- No key, and the key of nobody: a statement may ask whether there are any, or leave out those there are.
    for nobody in select n.keys from (values ('{}'::text[]), (array[null])) as n (keys) loop
        exit when changed > 0;
        begin
            changed := coalesce((select sum((c.value ->> 1)::bigint + (c.value ->> 2)::bigint)
                                   from jsonb_each(usher.pass(app, (act - 'each') || jsonb_build_object('steps', kept), relations,
                                                              nobody, at, arguments) -> 'counts') c), 0);
            raise sqlstate 'UA001';
        exception
            when sqlstate 'UA001' then null;
            -- What cannot be done to nobody is about somebody.
            when sqlstate 'UA005' then return;
        end;
    end loop;
    if changed > 0 then
        raise exception '`%` does not keep to its subjects: asked to do it to nobody, it would still change % rows; nothing was changed',
              act ->> 'command', changed
              using errcode = 'US003', detail = jsonb_build_object('refusal', 'loose', 'command', act ->> 'command', 'rows', changed)::text;
    end if;
end
$$;
