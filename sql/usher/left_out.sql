-- What is said of rows that an undoing leaves as they are.
create or replace function usher.left_out(since jsonb) returns jsonb
language sql immutable
as $$
    select coalesce(jsonb_agg(jsonb_build_object('key', s.key) || s.unlike), '[]')
      from (select x.value -> 'key' as key, x.value -> 'unlike' as unlike
              from jsonb_array_elements(left_out.since) with ordinality as x (value, place)
             where not (x.value ->> 'restored')::boolean
             order by x.place limit 100) s
$$;
