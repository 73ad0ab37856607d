-- SQL for how rows t of a table meet elements e of a list of keys.
create or replace function usher.key_join(shape jsonb) returns text
language sql immutable
as $$
    select string_agg(format('t.%s = (e.value ->> %s)::%s', k.of ->> 'sql', k.place - 1, k.of ->> 'type'), ' and ' order by k.place)
      from (select c.of, row_number() over (order by c.place) as place
              from jsonb_array_elements(shape -> 'columns') with ordinality as c (of, place)
             where (c.of ->> 'in_key')::boolean) k
$$;
