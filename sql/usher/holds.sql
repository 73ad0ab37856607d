-- Whether all of some locks are free, and now this transaction's. A snapshot must not be older than its lock, so nobody waits
-- here: whoever comes too late waits elsewhere, and begins anew. So does whoever looked before the last one was through with
-- a lock that is free by now: what that one wrote down in its turn is no longer what was seen (40001).
create or replace function usher.holds(locks bigint[]) returns boolean
language plpgsql volatile
as $$
declare
    lock bigint;
begin
    foreach lock in array holds.locks loop
        if not pg_try_advisory_xact_lock(lock) then return false; end if;
    end loop;
    insert into usher.turn as t (slot, taken)
    select distinct (l.lock & 65535)::integer, pg_current_xact_id() from unnest(holds.locks) as l (lock)
     where l.lock is not null order by 1
        on conflict on constraint turn_pkey do update set taken = excluded.taken;
    return true;
end
$$;
