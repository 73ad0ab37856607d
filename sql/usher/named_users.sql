-- What people call a few of some users, by key; nothing where nobody has an address.
create or replace function usher.named_users(app jsonb, keys text[], at timestamptz) returns jsonb
language plpgsql volatile
as $$
declare
    names jsonb;
begin
    if app ->> 'labels' is null or cardinality(named_users.keys) = 0 then return '{}'; end if;
    execute format('select jsonb_object_agg(l.key, l.label) from (%s) l (key, label)', app ->> 'labels')
       into names using named_users.at, named_users.keys[:20];
    return coalesce(names, '{}');
end
$$;
