-- The arguments of an act as its parameters declare them: each given or by default, of its type, one of its choices, within
-- its range; and nothing else.
create or replace function usher.arguments(parameters jsonb, given jsonb) returns jsonb
language plpgsql stable
as $$
declare
    parameter jsonb;
    name text;
    value text;
    key text;
    found jsonb := '{}';
begin
    select min(g.name) into name
      from jsonb_object_keys(coalesce(nullif(given, 'null'), '{}')) g (name)
     where not exists (select from jsonb_array_elements(parameters) p where p.value ->> 'name' = g.name);
    if name is not null then 
        raise exception 'there is no argument %', name using errcode = 'US002', detail = jsonb_build_object('refusal', 'no_argument', 'name', name)::text;
    end if;
    for parameter in select p.value from jsonb_array_elements(parameters) p loop
        name := parameter ->> 'name';
        value := case when given ? name then given ->> name else parameter ->> 'default' end;
        if value is null then
            if not (parameter ->> 'optional')::boolean then
                raise exception '% is missing', name using errcode = 'US002', detail = jsonb_build_object('refusal', 'no_value', 'name', name)::text;
            end if;
        else
            if parameter -> 'choices' <> '[]' and not parameter -> 'choices' ? value then
                raise exception '% must be one of %', name,
                      (select string_agg(c.value, ', ') from jsonb_array_elements_text(parameter -> 'choices') c)
                      using errcode = 'US002',
                            detail = jsonb_build_object('refusal', 'not_among', 'name', name, 'choices', parameter -> 'choices')::text;
            end if;
            begin
                execute format('select ($1::%s)::text', case when (parameter ->> 'secret')::boolean then 'text' else parameter ->> 'type' end)
                   into key using value;
                -- As its type writes it: two spellings of a key name the same.
                if parameter ->> 'names' is not null then value := key; end if;
            exception when data_exception or undefined_object or check_violation then
                raise exception '% is no %', name, parameter ->> 'type' using errcode = 'US002',
                      detail = jsonb_build_object('refusal', 'not_of_type', 'name', name, 'type', parameter ->> 'type')::text;
            end;
            if parameter ->> 'low' is not null
               and value::numeric not between (parameter ->> 'low')::numeric and (parameter ->> 'high')::numeric then
                raise exception '% must be from % to %', name, parameter ->> 'low', parameter ->> 'high' using errcode = 'US002',
                      detail = jsonb_build_object('refusal', 'out_of_range', 'name', name, 'low', parameter ->> 'low', 'high', parameter ->> 'high')::text;
            end if;
        end if;
        found := found || jsonb_build_object(name, value);
    end loop;
    return found;
end
$$;
