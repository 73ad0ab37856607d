-- What a question finds about the rows of the pieces of an undo, one object a row. `overwritten` has the names of the columns that
-- triggers overwrite, by table.
create or replace function usher.found(pieces jsonb, question text, overwritten jsonb default '{}') returns jsonb
language plpgsql volatile
as $$
declare
    statement text;
    own jsonb;
    found jsonb := '[]';
begin
    for statement in
        select p.value ->> found.question from jsonb_array_elements(pieces) p where p.value ->> found.question is not null
    loop
        execute format('select jsonb_agg(to_jsonb(f)) from (%s) f', statement)
           into own using null::timestamptz, null::text[], overwritten;
        found := found || coalesce(own, '[]');
    end loop;
    return found;
end
$$;
