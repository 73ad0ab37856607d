-- Does an act that is one UPDATE of one table to many at once, and takes down what it changed: one statement updates, reads the
-- old values at its own snapshot, and writes both to the ledger. Says how many rows changed; NULL where more than that
-- happened, and then nothing of it did. For whom it would not come to what it promises, it says by raising them.
--
-- That it changes nothing else is likely after an earlier part, which was looked at to the last row.
create or replace function usher.updated_at_once(
    app jsonb, act jsonb, relations jsonb, earlier uuid, operation uuid, keys text[], at timestamptz, arguments jsonb
) returns bigint
language plpgsql volatile
as $$
declare
    step constant jsonb := act -> 'steps' -> 0;
    target constant jsonb := step -> 'targets' -> 0;
    reach constant jsonb := relations -> usher.relation_name(target);
    relation constant text := reach -> 'tables' ->> 0;
    shape jsonb;
    usual jsonb;
    seen jsonb[];
    promise jsonb;
    number bigint;
    outcomes text[];
    decided text;
    own jsonb;
    broken jsonb := '{}';
    refers text;
    are_beside boolean;
    user_key text;
    unkept bigint;
    answered bigint;
    done jsonb;
begin
    if act ->> 'each' is not null or act ->> 'subject' <> 'users' or act -> 'impacts' <> '[]'
       or jsonb_array_length(act -> 'steps') <> 1 or jsonb_array_length(step -> 'targets') <> 1
       or step ->> 'returning' is null or target ->> 'verb' is distinct from 'update'
       or reach ->> 'distributed' is not null or (reach ->> 'is_view')::boolean or (reach ->> 'is_diverted')::boolean or jsonb_array_length(reach -> 'tables') <> 1 then
        return null;
    end if;
    shape := usher.shape(relation::oid, array(select jsonb_array_elements_text(app -> 'secrets')));
    if not usher.has_key(shape) or jsonb_path_exists(shape, '$.columns[*] ? (@.form == "name")') then return null; end if;
    seen := array(select h.payload from usher.change h where h.operation = earlier order by h.ordinal limit 100);
    if exists (select from unnest(seen) s (change)
                where s.change ->> 'table' <> shape ->> 'name' or s.change ? 'secrets'
                   or jsonb_typeof(s.change -> 'before') is distinct from 'object' or jsonb_typeof(s.change -> 'after') is distinct from 'object') then
        return null;
    end if;
    -- What changed in one row changes in most.
    usual := coalesce((select jsonb_agg(k.name) from jsonb_object_keys(seen[1] -> 'after') k (name)), '[]');
    -- Whom else it changes, the thorough way tells.
    user_key := usher.user_key(nullif(app -> 'root', 'null'), relation::oid);
    done := usher.counted_at_once(
        app, relation, usher.update_statement(step, shape, usual, user_key), at, keys, arguments, operation, earlier);
    -- A row of which nobody whom it refers to is a subject, or that did not refer to one of them before.
    refers := (select string_agg(format('(t.%1$I is null or t.%1$I::text not in (select k.key from unnest($2) k (key) where k.key is not null))', c.name), ' and ')
                      || format(' and coalesce(%s) is not null', string_agg(format('t.%I::text', c.name), ', '))
                      || string_agg(format(' or h.payload -> ''before'' ->> %1$L not in (select k.key from unnest($2) k (key) where k.key is not null)', c.name), '')
                 from unnest(usher.user_columns(nullif(app -> 'root', 'null'), relation::oid)) c (name));
    if refers is not null and user_key is null then
        execute format(
            'select exists (select from usher.change h join %s t on %s where h.operation = $1 and (%s))', shape ->> 'sql',
            (select string_agg(format('t.%s = (h.payload -> ''key'' ->> %L)::%s', c.of ->> 'sql', c.of ->> 'name', c.of ->> 'type'), ' and ')
               from jsonb_array_elements(shape -> 'columns') c (of) where (c.of ->> 'in_key')::boolean), refers)
           into are_beside using updated_at_once.operation, updated_at_once.keys;
        if are_beside then raise sqlstate 'UA006'; end if;
    end if;
    for promise, number in select e.of, e.place - 1 from jsonb_array_elements(act -> 'expects') with ordinality as e (of, place) loop
        outcomes := array(select jsonb_array_elements_text(promise -> 'outcomes'));
        decided := (select d.of ->> 'sql' from jsonb_array_elements(app -> 'decisions') as d (of)
                     where d.of ->> 'name' = promise ->> 'decision');
        execute format(
            'select coalesce(sum(u.unkept), 0), count(*)
               from (select count(*) filter (where d.outcome is null or d.outcome <> all ($4)) as unkept
                       from (%s) d (key, per, outcome) group by d.key) u', decided)
           into unkept, answered
          using at, keys, '{}'::jsonb, outcomes;
        if answered < cardinality(keys) then raise sqlstate 'UA006'; end if;
        continue when unkept = 0;
        -- What is promised of one of several the thorough way says.
        if promise ->> 'about' is not null then raise sqlstate 'UA006'; end if;
        execute format(
            'select jsonb_object_agg(u.key, jsonb_build_object(''key'', u.key, ''promise'', $5, ''outcome'', u.outcomes[1],
                                                              ''unavailable'', null, ''unanswered'', false))
               from (select d.key, array_agg(d.outcome) as outcomes
                       from (%s) d (key, per, outcome)
                      where d.outcome is null or d.outcome <> all ($4)
                      group by d.key) u', decided)
           into own
          using at, keys, '{}'::jsonb, outcomes, number;
        broken := own || broken;
    end loop;
    if broken <> '{}' then raise sqlstate 'UA007' using message = broken::text; end if;
    return (done ->> 'changed')::bigint;
exception
    when sqlstate 'UA006' then return null;
    when sqlstate 'UA007' then raise;
    when others then
    -- The thorough way finds out of whom it is about, and says it in full.
    if usher.is_passing(sqlstate) then raise; end if;
    return null;
end
$$;
