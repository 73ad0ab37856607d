-- SQL for a value of a column as `to_jsonb` takes it so that it can be written back to the byte: what that would not bring back
-- as it was is kept as its text. It may stand under any search path.
create or replace function usher.value(of jsonb, value text) returns text
language plpgsql immutable
as $$
begin
    return (
    select case of ->> 'form'
           when 'plain' then value.value
           when 'float' then format('case when %1$s::text = ''-0'' then pg_catalog.to_jsonb(%1$s::text) else pg_catalog.to_jsonb(%1$s) end', value.value)
           when 'array' then format('case when %1$s::text ~ ''^\[|-0[,}]'' then pg_catalog.to_jsonb(%1$s::text) else pg_catalog.to_jsonb(%1$s) end', value.value)
           when 'jsonb' then format('case when pg_catalog.jsonb_typeof(%1$s) in (''object'', ''array'') then %1$s::jsonb else pg_catalog.to_jsonb(%1$s::text) end', value.value)
           else format('pg_catalog.to_jsonb(%s::text)', value.value) end);
end
$$;
