-- Those of some subjects that all of some selections hold for now, in the order in which they came.
create or replace function usher.still_selected(act jsonb, selections jsonb, keys text[], at timestamptz, arguments jsonb) returns text[]
language plpgsql volatile
as $$
declare
    selection text;
    found text[] := still_selected.keys;
begin
    for selection in select jsonb_array_elements_text(coalesce(selections, '[]')) loop
        execute format('select coalesce(array_agg(k.key order by k.place), ''{}'')
                          from unnest($2) with ordinality as k (key, place) where k.key in (select s.key from (%s) s (key))',
                       act -> 'selections' -> selection ->> 'of')
           into found using still_selected.at, found, still_selected.arguments;
    end loop;
    return found;
end
$$;
