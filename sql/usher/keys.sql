-- Keys as their type writes them, each once, in the order in which they came: two spellings of one key are one.
create or replace function usher.keys(given jsonb, type text) returns text[]
language plpgsql stable
as $$
declare
    argument constant text := 'keys';
    found text[];
begin
    if coalesce(nullif(given, 'null'), '[]') = '[]' then return '{}'; end if;
    if type is null then
        raise exception 'there is no argument %', argument
              using errcode = 'US002', detail = jsonb_build_object('refusal', 'no_argument', 'name', argument)::text;
    end if;
    execute format(
        'select array_agg(k.key order by k.place)
           from (select (x.key::%s)::text as key, min(x.place) as place
                   from jsonb_array_elements_text($1) with ordinality as x (key, place)
                  group by 1) k', type)
       into found using given;
    return found;
end
$$;
