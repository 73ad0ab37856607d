-- What the impacts of an act come to now: the facts of each, null where they cannot be read.
create or replace function usher.impacts(act jsonb, at timestamptz, arguments jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    impact text;
    facts jsonb;
    found jsonb := '[]';
begin
    for impact in select jsonb_array_elements_text(act -> 'impacts') loop
        begin
            facts := null;
            execute impact into facts using impacts.at, '{}'::text[], impacts.arguments;
        exception when others then
            if usher.is_passing(sqlstate) then raise; end if;
        end;
        found := found || jsonb_build_array(facts);
    end loop;
    return found;
end
$$;
