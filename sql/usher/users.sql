-- The users whom an act on some subjects is about.
create or replace function usher.users(act jsonb, keys text[], at timestamptz, arguments jsonb) returns text[]
language plpgsql volatile
as $$
declare
    owners text[];
begin
    if act ->> 'subject' = 'users' then return users.keys; end if;
    if act ->> 'owners' is null or cardinality(users.keys) = 0 then return '{}'; end if;
    execute format('select coalesce(array_agg(o.key), ''{}'') from (%s) o (key)', act ->> 'owners')
       into owners using users.at, users.keys, users.arguments;
    return owners;
end
$$;
