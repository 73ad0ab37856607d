-- The rows of a table with some keys as they are now: [{"k": key, "i": image}]. They are locked, but where Citus keeps them: no
-- lock is taken there for several rows at once, and what somebody else changes meanwhile stops the statement that writes it.
create or replace function usher.images(shape jsonb, keys jsonb, salt text) returns jsonb
language plpgsql volatile
as $$
declare
    found jsonb;
begin
    execute format(
        'select coalesce(jsonb_agg(jsonb_build_object(''k'', r.k, ''i'', r.i)), ''[]'')
           from (select %s as k, %s as i from %s t join jsonb_array_elements($1) e on %s order by 1%s) r',
        usher.key_texts(shape), usher.image(shape, salt), shape ->> 'sql', usher.key_join(shape),
        case when (shape ->> 'distributed')::boolean then '' else ' for no key update of t' end)
       into found using images.keys;
    return found;
end
$$;
