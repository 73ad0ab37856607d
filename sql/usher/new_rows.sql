-- Rows that were added to a table without a key, at some places or by their writer: nothing tells them apart but all they
-- hold.
create or replace function usher.new_rows(shape jsonb, places jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    found jsonb;
begin
    execute format(
        $query$
        select jsonb_agg(jsonb_build_object(
                   'kind', 'insert', 'table', $2 ->> 'name', 'key', '{}'::jsonb, 'before', null, 'after', i.image,
                   'columns', (select jsonb_agg(jsonb_build_array(c.of ->> 'name', c.of -> 'type_oid', null, i.image ->> (c.of ->> 'name'))
                                                order by c.place)
                                 from jsonb_array_elements($2 -> 'columns') with ordinality as c (of, place)
                                where not (c.of ->> 'secret')::boolean),
                   'secrets', '[]'::jsonb))
          from %s t%s
         cross join lateral (select %s as image) i
         where %s
        $query$,
        shape ->> 'sql', usher.own_transaction(shape), usher.image(shape), case when places is null or (shape ->> 'distributed')::boolean
            then '$1 is null and ' || usher.is_of_own(shape, 't.xmin', 'in progress')
            else 't.ctid = any (array(select p.place::tid from jsonb_array_elements_text($1) p (place)))' end)
       into found
      using new_rows.places, shape;
    return coalesce(found, '[]');
end
$$;
