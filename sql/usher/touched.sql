-- The users whom an act on a few subjects concerns, as far as they are locked besides those to whom it is done.
create or replace function usher.touched(act jsonb, keys text[], at timestamptz, arguments jsonb) returns text[]
language plpgsql volatile
as $$
begin
    if act ->> 'subject' = 'users' and act ->> 'named' is null or cardinality(touched.keys) > 100 then return '{}'; end if;
    return usher.concerned(act, touched.keys, at, arguments);
end
$$;
