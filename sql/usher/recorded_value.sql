-- The SQL that reads the value of a column out of a recorded image (`object`), of which `image` is what the table's own types
-- make. What JSON holds as one text or number is read without an image, which costs as much as all the rest of a row.
create or replace function usher.recorded_value(of jsonb, object text, image text) returns text
language sql immutable
as $$
    select case
           when of ->> 'form' in ('json', 'plain', 'float')
           then format('(%s ->> %L)::%s', recorded_value.object, of ->> 'name', of ->> 'bare_type')
           when of ->> 'form' = 'jsonb'
           then format('case when pg_catalog.jsonb_typeof%1$s = ''string'' then (%1$s #>> ''{}'')::%2$s else %3$s.%4$s end',
                       v.recorded, of ->> 'bare_type', recorded_value.image, of ->> 'sql')
           else recorded_value.image || '.' || (of ->> 'sql') end
      from (select format('(%s -> %L)', recorded_value.object, of ->> 'name') as recorded) v
$$;
