-- The users to whom rows of a table with some keys refer by some columns, as they are now: a JSON list of texts a row.
create or replace function usher.row_users(shape jsonb, columns text[], keys jsonb) returns jsonb
language plpgsql stable
as $$
declare
    users jsonb;
begin
    execute format(
        'select coalesce(jsonb_agg(distinct jsonb_build_array(%s)), ''[]'') from %s t join jsonb_array_elements($1) e on %s',
        (select string_agg(format('t.%I::text', c.name), ', ') from unnest(row_users.columns) c (name)), shape ->> 'sql', usher.key_join(shape))
       into users using row_users.keys;
    return users;
end
$$;
