-- Two lists of keys as one.
create or replace function usher.distinct_keys(one jsonb, other jsonb) returns jsonb
language sql immutable
as $$ select coalesce(jsonb_agg(distinct k.value), '[]') from jsonb_array_elements(one || other) k $$;
