-- Seals every operation that is not sealed yet and whose transaction was over before all that are running; returns the
-- head of the chain, or the present one while somebody else is sealing. To be called in a transaction of its own, at
-- READ COMMITTED: what the last sealer wrote must be seen once the lock is free. Operators, who may only read the table, can't take it.
-- What it writes meanwhile makes a scan of `sealed` longer with each row, so all is looked up by index.
create or replace function usher.seal() returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
as $$
declare
    last usher.seal;
    next usher.seal;
begin
    if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'sealing needs a transaction at READ COMMITTED' using errcode = 'invalid_transaction_state';
    end if;
    begin
        lock table usher.seal in share row exclusive mode nowait;
    exception when lock_not_available then
        return (select encode(s.head, 'hex') from usher.seal s order by s.number desc limit 1);
    end;
    select s.* into last from usher.seal s order by s.number desc limit 1;
    next.number := coalesce(last.number, 0) + 1;
    next.at := clock_timestamp();
    next.system_identifier := (select s.system_identifier from pg_control_system() s);
    next.horizon := pg_snapshot_xmin(pg_current_snapshot());
    -- Transactions of another cluster are no measure here: in a restored copy every operation is looked at once.
    insert into usher.sealed (operation, seal, changes, leaf)
    select o.id, next.number, l.changes, l.leaf
      from usher.operation o, usher.leaf(o) l
     where o.transaction < next.horizon
       and (last.horizon is null or last.system_identifier <> next.system_identifier or o.transaction >= last.horizon)
       and not exists (select from usher.sealed s where s.operation = o.id);
    if found then
        next.root := usher.root(next.number);
        next.head := usher.head(next, last.head);
        insert into usher.seal (number, at, system_identifier, horizon, root, head)
        values (next.number, next.at, next.system_identifier, next.horizon, next.root, next.head);
        last := next;
    end if;
    return encode(last.head, 'hex');
end
$$;
