-- Those of some subjects that the app lists at all, in the order in which they came: what it says about acts, it says about
-- them alone.
create or replace function usher.listed(act jsonb, keys text[], at timestamptz, arguments jsonb) returns text[]
language plpgsql volatile
as $$
declare
    found text[];
begin
    if act ->> 'listed' is null then return listed.keys; end if;
    -- What only holds where it is true is no join: where parts are done at once, a join would compare each with each.
    execute format('select coalesce(array_agg(k.key order by k.place), ''{}'')
                      from unnest($2) with ordinality as k (key, place) where (k.key in (select j.key from (%s) j)) is true',
                   act ->> 'listed')
       into found using listed.at, listed.keys, listed.arguments;
    return found;
end
$$;
