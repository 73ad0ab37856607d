-- SQL for a JSON object of some columns of a row that is called by an alias, each so that the value can be written back to
-- the byte. No function takes more than a hundred arguments. It may stand under any search path.
create or replace function usher.object(columns jsonb, alias text) returns text
language plpgsql immutable
as $$
begin
    return (
    select coalesce(string_agg('pg_catalog.jsonb_build_object(' || chunk.pairs || ')', ' || ' order by chunk.number), '''{}''::jsonb')
      from (select (c.place - 1) / 50 as number,
                   string_agg(quote_literal(c.of ->> 'name') || ', ' || usher.value(c.of, object.alias || '.' || (c.of ->> 'sql')),
                              ', ' order by c.place) as pairs
              from jsonb_array_elements(object.columns) with ordinality as c (of, place)
             group by 1) chunk);
end
$$;
