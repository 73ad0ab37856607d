-- A statement that tells which rows it wrote where Citus keeps them: a place means something to the server alone that has it, so
-- the key is the place. What it returns is told as text here, and what it assigns is selected before it, where that can be: a
-- statement that writes there may call next to nothing.
create or replace function usher.telling(step jsonb, relation oid) returns text
language plpgsql stable
as $$
declare
    shape constant jsonb := usher.shape(telling.relation, '{}');
    alias constant text := step ->> 'alias';
    made text := step -> 'values' ->> 'sql';
    statement text := step ->> 'sql';
    keys record;
    assigned record;
begin
    select string_agg(format('%s.%s', alias, c.of ->> 'sql'), ', ' order by c.place) as returned,
           string_agg(format('%s.%s as "usher key %s"', alias, c.of ->> 'sql', c.place), ', ' order by c.place) as selected,
           string_agg(format('%s.%s = "usher v"."usher key %s"', alias, c.of ->> 'sql', c.place), ' and ' order by c.place) as same,
           string_agg(format('"usher w".%s::pg_catalog.text', c.of ->> 'sql'), ', ' order by c.place) as told
      into keys
      from jsonb_array_elements(shape -> 'columns') with ordinality as c (of, place)
     where (c.of ->> 'in_key')::boolean;
    if keys.told is null then return null; end if;
    if made is not null then
        for assigned in
            select n.place - 1 as number, format_type((c.of ->> 'type_oid')::oid, -1) as type
              from jsonb_array_elements_text(step -> 'values' -> 'columns') with ordinality as n (name, place)
              join jsonb_array_elements(shape -> 'columns') as c (of) on c.of ->> 'name' = n.name
        loop
            made := replace(made, format('"usher type %s"', assigned.number), assigned.type);
        end loop;
        statement := (select format(E'update %s set (%s) = row(%s) from "usher v" where %s', step -> 'values' ->> 'table',
                                    string_agg(quote_ident(n.name), ', ' order by n.place),
                                    string_agg(format('"usher v"."usher value %s"', n.place - 1), ', ' order by n.place), keys.same)
                        from jsonb_array_elements_text(step -> 'values' -> 'columns') with ordinality as n (name, place));
    end if;
    return format(E'with %s"usher w" as (\n%s\nreturning %s)\nselect %L::pg_catalog.text as tableoid, pg_catalog.jsonb_build_array(%s)::pg_catalog.text as ctid from "usher w"',
                  case when made is null then '' else format(E'"usher v" as materialized (\n%s),\n', replace(made, '"usher key"', keys.selected)) end,
                  statement, keys.returned, telling.relation, keys.told);
end
$$;
