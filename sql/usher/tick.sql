-- Records the time together with a new transaction id, once a second at most. `refuse_stale` dates snapshots by it: a snapshot
-- that knows this id was taken later. A sequence keeps both, since no snapshot hides it and no rollback undoes it. The id must be
-- new: one that a transaction held back would make an old snapshot look young.
create or replace function usher.tick() returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    -- Before the id is assigned.
    seconds constant bigint := floor(extract(epoch from clock_timestamp() - timestamptz '2020-01-01 00:00:00+00'));
begin
    perform usher.refuse_written();
    if (select c.last_value >> 32 from usher.snapshot_clock c) <> seconds then
        perform setval('usher.snapshot_clock', (seconds << 32) | (pg_current_xact_id()::text::bigint & 4294967295));
    end if;
end
$$;
