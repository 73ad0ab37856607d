-- Keeps texts ($1) and the types that they are to be read as ($2) for the block that reads them.
select set_config('usher.typed',
                  jsonb_agg(jsonb_build_object('text', v.text, 'type', v.type) order by v.place)::text, true)
  from unnest($1::text[], $2::text[]) with ordinality as v (text, type, place)
