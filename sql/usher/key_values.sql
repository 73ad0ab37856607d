-- A JSON list of keys as a column of a type would write them, each once.
create or replace function usher.key_values(keys jsonb, type text) returns text[]
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
    found text[];
begin
    execute format('select array_agg(distinct k.key::%1$s::text) from jsonb_array_elements_text($1) as k (key)', type)
       into found using key_values.keys;
    if found is null or array_position(found, null) is not null then
        raise exception 'there is nobody to delete' using errcode = 'invalid_parameter_value';
    end if;
    return found;
end
$$;
