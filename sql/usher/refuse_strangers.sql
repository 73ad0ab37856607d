-- Refuses subjects that the app does not list, or that it listed only until somebody planned this.
create or replace function usher.refuse_strangers(act jsonb, keys text[], at timestamptz, arguments jsonb, plan text) returns void
language plpgsql volatile
as $$
declare
    known constant text[] := usher.listed(act, refuse_strangers.keys, at, arguments);
begin
    if cardinality(known) = cardinality(refuse_strangers.keys) then return; end if;
    raise exception '%', format(case when plan is null then 'there is no %s here' else '%s is gone meanwhile; nothing was changed' end,
                                (select k.key from unnest(refuse_strangers.keys) k (key) where k.key <> all (known) or k.key is null limit 1))
          using errcode = case when plan is null then 'US004' else 'US006' end;
end
$$;
