-- Takes an operation back: {id, operation, now, plan, dry, confirmed, reason, ticket}; only what it is known to have done, from
-- rows that are as it left them. To be called like `usher.run`.
create or replace function usher.undo(request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
    perform usher.refuse_late();
    perform usher.refuse_open_path();
    return usher.take_back(request - array['parent', 'position'], usher.instant(request ->> 'now'));
end
$$;
