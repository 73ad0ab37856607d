-- Whether all of some locks are free, and now this transaction's. A snapshot must not be older than its lock, so nobody waits
-- here: whoever comes too late waits elsewhere, and begins anew.
create or replace function usher.holds(locks bigint[]) returns boolean
language plpgsql volatile
as $$
declare
    lock bigint;
begin
    foreach lock in array holds.locks loop
        if not pg_try_advisory_xact_lock(lock) then return false; end if;
    end loop;
    return true;
end
$$;
