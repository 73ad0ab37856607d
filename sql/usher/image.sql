-- SQL for one whole row of a table, called t, as JSON. Secrets are left out, but that they changed shows when two images are
-- made with the same salt. Where Citus keeps the rows, one that was fetched from there has lost the names of its columns.
create or replace function usher.image(shape jsonb, salt text default null) returns text
language sql immutable
as $$
    select case when hidden.digests is null and not (shape ->> 'distributed')::boolean
                then 'to_jsonb(t.*)' || case when special.columns is null then '' else ' || ' || usher.object(special.columns, 't') end
                else usher.object(shown.columns, 't') || case when image.salt is null or hidden.digests is null then '' else ' || ' || hidden.digests end
           end
      from (select jsonb_agg(c.of order by c.place) as columns
              from jsonb_array_elements(image.shape -> 'columns') with ordinality as c (of, place)
             where not (c.of ->> 'secret')::boolean) shown,
           (select jsonb_agg(c.of order by c.place) as columns
              from jsonb_array_elements(image.shape -> 'columns') with ordinality as c (of, place)
             where c.of ->> 'form' <> 'plain') special,
           (select string_agg(
                       format('jsonb_build_object(%L, sha256(convert_to(%L || t.%s::text, ''UTF8'')))',
                              c.of ->> 'name', coalesce(image.salt, ''), c.of ->> 'sql'), ' || ') as digests
              from jsonb_array_elements(image.shape -> 'columns') as c (of)
             where (c.of ->> 'secret')::boolean) hidden
$$;
