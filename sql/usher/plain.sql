-- The arguments of an act that are no secrets.
create or replace function usher.plain(act jsonb, arguments jsonb) returns jsonb
language sql immutable
as $$
    select coalesce(jsonb_object_agg(a.key, a.value), '{}')
      from jsonb_each(plain.arguments) a
     where not exists (select from jsonb_array_elements(act -> 'parameters') p
                        where p.value ->> 'name' = a.key and (p.value ->> 'secret')::boolean)
$$;
