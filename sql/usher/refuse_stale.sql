-- Refuses an old snapshot. The caller chooses the snapshot (SET TRANSACTION SNAPSHOT), and what the guards read by it may have
-- changed since. A snapshot is fresh if it shows everything that is committed, or if it was taken after a tick, and the tick was
-- at most three seconds before `at`. If it is not, the transaction has to begin again (40001). By then there is a new tick.
create or replace function usher.refuse_stale(at timestamptz) returns void
language plpgsql volatile
as $$
declare
    seen constant pg_snapshot := pg_current_snapshot();
    -- The snapshot shows nothing of this transaction id and of later ones.
    unseen constant bigint := pg_snapshot_xmax(seen)::text::bigint;
    tick constant bigint := (select c.last_value from usher.snapshot_clock c);
    ticked constant timestamptz := timestamptz '2020-01-01 00:00:00+00' + (tick >> 32) * interval '1 second';
    own bigint;
begin
    perform usher.tick();
    own := pg_current_xact_id()::text::bigint;
    -- The sequence keeps the last 32 bits of the id.
    if own - ((own - tick) & 4294967295) < unseen
       and ticked between refuse_stale.at - interval '3 seconds' and clock_timestamp() then
        return;
    end if;
    if own - unseen > 1000
       or exists (select from (select generate_series(unseen, own - 1)
                                union all
                               select i::text::bigint from pg_snapshot_xip(seen) i) x (id)
                   where coalesce(pg_xact_status(x.id::text::xid8), 'committed') = 'committed') then
        raise exception 'this transaction does not see what was committed since its snapshot was taken'
              using errcode = 'serialization_failure', hint = 'begin it again';
    end if;
end
$$;
