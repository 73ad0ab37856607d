-- The rows of a table with some keys as they are now, locked: [{"k": key, "i": image}].
create or replace function usher.images(shape jsonb, keys jsonb, salt text) returns jsonb
language plpgsql volatile
as $$
declare
    found jsonb;
begin
    execute format(
        'select coalesce(jsonb_agg(jsonb_build_object(''k'', r.k, ''i'', r.i)), ''[]'')
           from (select %s as k, %s as i from %s t join jsonb_array_elements($1) e on %s order by 1 for no key update of t) r',
        usher.key_texts(shape), usher.image(shape, salt), shape ->> 'sql', usher.key_join(shape))
       into found using images.keys;
    return found;
end
$$;
