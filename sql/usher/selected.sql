-- The subjects that all of some selections hold for: in the order of the act, else as the server finds them, by an index or by a
-- table. To put them as their rows lie gained nothing among a million: what is saved in the table is lost in its indexes.
create or replace function usher.selected(act jsonb, selections jsonb, at timestamptz, arguments jsonb) returns text[]
language plpgsql volatile
as $$
declare
    selection text;
    own text[];
    found text[];
begin
    for selection in select jsonb_array_elements_text(selections) loop
        if act -> 'selections' -> selection is null then
            raise exception '`%` knows no selection %', act ->> 'command', selection using errcode = 'US002',
                  detail = jsonb_build_object('refusal', 'no_selection', 'command', act ->> 'command', 'selection', selection)::text;
        end if;
        if found is null then
            execute format('select coalesce(array_agg(s.key), ''{}'') from (%s) s (key)', act -> 'selections' -> selection ->> 'all')
               into own using selected.at, '{}'::text[], selected.arguments;
        else
            own := usher.still_selected(act, jsonb_build_array(selection), found, selected.at, selected.arguments);
        end if;
        found := own;
    end loop;
    if act ->> 'each' is not null then
        execute format('select coalesce(array_agg(e.key), ''{}'') from (%s) e (key)', act ->> 'each')
           into found using selected.at, found, selected.arguments;
    end if;
    if cardinality(found) <> (select count(*) from (select from unnest(found) as k (key) group by k.key) k) then
        selection := (select k.key from unnest(found) as k (key) group by k.key having count(*) > 1 limit 1);
        raise exception 'the app file lists % more than once; nothing was changed', selection using errcode = 'US003',
              detail = jsonb_build_object('refusal', 'listed_twice', 'key', selection)::text;
    end if;
    return found;
end
$$;
