-- What a request rests on: how the decisions stand, and what is said against whom. It tells whether that is as it was, and,
-- salted, nothing else. Of many nobody looks at each.
create or replace function usher.world(
    app jsonb, act jsonb, keys text[], at timestamptz, arguments jsonb, judgement jsonb, standing jsonb, salt text
) returns text
language sql volatile
as $$
    select salt || ':' || encode(sha256(convert_to(jsonb_build_array(salt, act - array['listed', 'owners', 'named'], d.decisions, r.refused, w.warnings)::text, 'UTF8')), 'hex')
      from (select jsonb_agg(x.value order by x.value::text) as decisions
              from jsonb_array_elements(world.standing -> 'answers') x) d,
           (select jsonb_agg(jsonb_build_array(x.key, x.value -> 'remark') order by x.key) as refused
              from jsonb_each(world.judgement -> 'refused') x) r,
           (select jsonb_agg(jsonb_build_array(x.value -> 'key', x.value -> 'remark') order by x.value::text) as warnings
              from jsonb_array_elements(world.judgement -> 'warnings') x) w
     where cardinality(world.keys) <= 100
$$;
