-- All users whom an act on some subjects concerns: those whom it is about, and those whom its arguments name.
create or replace function usher.concerned(act jsonb, keys text[], at timestamptz, arguments jsonb) returns text[]
language plpgsql volatile
as $$
declare
    found constant text[] := usher.users(act, concerned.keys, at, arguments);
    named text[];
begin
    if act ->> 'named' is null then return found; end if;
    execute format('select array_agg(n.key) from (%s) n (key)', act ->> 'named') into named using concerned.at, concerned.keys, concerned.arguments;
    return found || array(select distinct n.key from unnest(named) n (key) where n.key <> all (found) order by 1);
end
$$;
