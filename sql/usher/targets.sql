-- The tables that the steps of an act write, each once, as the act names them.
create or replace function usher.targets(act jsonb) returns jsonb
language sql immutable
as $$
    select coalesce(jsonb_agg(distinct t.value), '[]')
      from jsonb_array_elements(targets.act -> 'steps') s, jsonb_array_elements(s.value -> 'targets') t
$$;
