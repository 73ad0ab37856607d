-- Takes an operation back: {id, operation, now, plan, dry, confirmed, reason, ticket}; only what it is known to have done, from
-- rows that are as it left them. To be called like `usher.run`.
create or replace function usher.undo(request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    guarded jsonb;
    report jsonb;
begin
    perform usher.refuse_late(request);
    perform usher.refuse_open_path();
    guarded := usher.guarded();
    report := usher.take_back(
        request - array['parent', 'position'] || jsonb_build_object('guarded', guarded), usher.instant(request ->> 'now'));
    if report ->> 'outcome' <> 'done' then perform usher.refuse_beside(guarded); end if;
    return report;
end
$$;
