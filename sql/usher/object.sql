-- SQL for a JSON object of some columns of a row that is called by an alias, each so that the value can be written back to
-- the byte: what `to_jsonb` would not bring back as it was is kept as its text. No function takes more than a hundred
-- arguments. It may stand under any search path.
create or replace function usher.object(columns jsonb, alias text) returns text
language sql immutable
as $$
    select coalesce(string_agg('pg_catalog.jsonb_build_object(' || chunk.pairs || ')', ' || ' order by chunk.number), '''{}''::jsonb')
      from (select (c.place - 1) / 50 as number,
                   string_agg(
                       quote_literal(c.of ->> 'name') || ', ' || case c.of ->> 'form'
                           when 'plain' then v.value
                           when 'float' then format('case when %1$s::text = ''-0'' then pg_catalog.to_jsonb(%1$s::text) else pg_catalog.to_jsonb(%1$s) end', v.value)
                           when 'array' then format('case when %1$s::text ~ ''^\[|-0[,}]'' then pg_catalog.to_jsonb(%1$s::text) else pg_catalog.to_jsonb(%1$s) end', v.value)
                           when 'jsonb' then format('case when pg_catalog.jsonb_typeof(%1$s) in (''object'', ''array'') then %1$s::jsonb else pg_catalog.to_jsonb(%1$s::text) end', v.value)
                           else format('pg_catalog.to_jsonb(%s::text)', v.value) end,
                       ', ' order by c.place) as pairs
              from jsonb_array_elements(object.columns) with ordinality as c (of, place),
                   lateral (select object.alias || '.' || (c.of ->> 'sql') as value) v
             group by 1) chunk
$$;
