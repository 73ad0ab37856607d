-- The keys of the row versions that are there now because of a pass, by table.
create or replace function usher.written_keys(shapes jsonb, pass jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    keys jsonb := '{}';
    shape record;
begin
    for shape in select s.key as oid, s.value as of from jsonb_each(shapes) s where usher.has_key(s.value) loop
        keys := keys || jsonb_build_object(shape.oid, usher.row_keys(
            shape.of, case when usher.tells_all(pass, shape.oid) then 'places' else 'written' end, pass -> 'places' -> shape.oid));
    end loop;
    return keys;
end
$$;
