-- Nothing is installed, and nothing that is installed is done, while others may create where it looks for names.
create or replace function usher.refuse_open_path() returns void
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
    remedies constant text[] := usher.open_path();
begin
    if remedies <> '{}' then
        raise exception 'operators may create functions, or did, that acts would run'
              using errcode = 'US003', detail = jsonb_build_object('refusal', 'open_path', 'remedies', remedies)::text,
                    hint = array_to_string(remedies, E'\n');
    end if;
end
$$;
