-- SQL for the key of a row t as a JSON list of texts.
create or replace function usher.key_texts(shape jsonb) returns text
language sql immutable
as $$
    select format('jsonb_build_array(%s)', string_agg(format('t.%s::text', c.of ->> 'sql'), ', ' order by c.place))
      from jsonb_array_elements(shape -> 'columns') with ordinality as c (of, place)
     where (c.of ->> 'in_key')::boolean
$$;
