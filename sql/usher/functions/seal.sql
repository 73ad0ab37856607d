-- The functions for seals, which are a chain of digests over all operations, and for the outcome of an operation.

-- The digest (`leaf`) of an operation, its changes and the records that it erased. The digest contains the time as a number, because the
-- text of a number doesn't depend on session settings.
create or replace function usher.leaf(o usher.operation, out changes bigint, out leaf bytea)
language sql stable
as $$
    select c.changes,
           sha256(convert_to(jsonb_build_array(
               o.id, extract(epoch from o.at), o.operator, o.transaction::text, o.kind, o.outcome, o.command, o.app,
               o.parent, o.undoes, encode(o.digest, 'hex'), c.changes, encode(c.root, 'hex'),
               e.changes, encode(e.root, 'hex'), encode(o.app_digest, 'hex'), o.request, o.root, o.last)::text, 'UTF8'))
      from (select count(*) as changes, sha256(string_agg(int4send(c.ordinal) || c.digest, '' order by c.ordinal)) as root
              from usher.change c
             where c.operation = o.id) c,
           (select count(*) as changes,
                   sha256(string_agg(uuid_send(e.operation) || int4send(e.ordinal), '' order by e.operation, e.ordinal)) as root
              from (select c.operation, c.ordinal from usher.change c where c.erased = o.id
                     union all
                    select p.id, -1 from usher.operation p where p.erased = o.id
                     union all
                    select s.operation, -1 - s.ordinal from usher.subject s where s.erased = o.id) e) e
$$;

-- The head of the chain after a seal: a digest of the columns of the seal and of the previous head.
create or replace function usher.head(seal usher.seal, previous bytea) returns bytea
language sql immutable set search_path = pg_catalog, pg_temp
as $$
    select sha256(convert_to(jsonb_build_array(
        seal.number, extract(epoch from seal.at), seal.system_identifier::text, seal.horizon::text,
        encode(seal.root, 'hex'), encode(previous, 'hex'))::text, 'UTF8'))
$$;

-- Seals each operation that is not sealed yet, if its transaction is older than all running transactions. Returns the head of the chain. If
-- another session is sealing, returns the current head. Call this function in its own transaction at READ COMMITTED, so that it sees the
-- last seal after it gets the lock. Operators can only read the table, so they can't block this lock. Sequential scans are off, because
-- they would take longer with each row of `sealed`.
create or replace function usher.seal() returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
as $$
declare
    last usher.seal;
    next usher.seal;
begin
    if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'usher.seal() needs a transaction with the isolation level READ COMMITTED' using errcode = 'invalid_transaction_state';
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
    -- Transaction ids of different clusters can't be compared. So the first seal in a restored copy reads every operation.
    insert into usher.sealed (operation, seal, changes, leaf)
    select o.id, next.number, l.changes, l.leaf
      from usher.operation o, usher.leaf(o) l
     where o.transaction < next.horizon
       and (last.horizon is null or last.system_identifier <> next.system_identifier or o.transaction >= last.horizon)
       and not exists (select from usher.sealed s where s.operation = o.id);
    if found then
        next.root := (select sha256(string_agg(uuid_send(s.operation) || int8send(s.changes) || s.leaf, '' order by s.operation))
                        from usher.sealed s where s.seal = next.number);
        next.head := usher.head(next, last.head);
        insert into usher.seal (number, at, system_identifier, horizon, root, head)
        values (next.number, next.at, next.system_identifier, next.horizon, next.root, next.head);
        last := next;
    end if;
    return encode(last.head, 'hex');
end
$$;

-- The current outcome of an operation. A bulk change is `running` until its end is recorded, and `undone` if all its batches are undone.
-- Any other operation is `undone` if a later operation undoes it and is not undone itself. The function reads a chain of undos only once,
-- from the latest undo backwards.
create or replace function usher.outcome(operation uuid) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off
as $$
declare
    own record;
    part record;
    undo record;
    undone uuid[] := '{}';
begin
    select o.id, o.at, o.kind,
           case when o.kind <> 'bulk' or o.outcome <> 'committed' then o.outcome
                else coalesce((select e.outcome from usher.operation e
                                where e.parent = o.id and e.kind = 'end'
                                order by e.at desc limit 1),
                              -- Without its payload, usher can't continue a bulk change; only a deletion has its list in its columns.
                              case when o.erased is not null and o.command <> 'account delete' then 'partial' end, 'running')
           end as outcome
      into own
      from usher.operation o
     where o.id = $1;
    if own.outcome is null or own.outcome not in ('committed', 'partial', 'running') then return own.outcome; end if;
    if own.kind = 'bulk' then
        for part in
            select b.id from usher.operation b where b.parent = own.id and b.kind = 'batch' and b.outcome in ('committed', 'partial')
        loop
            if usher.outcome(part.id) <> 'undone' then return own.outcome; end if;
        end loop;
        return case when found then 'undone' else own.outcome end;
    end if;
    for undo in
        with recursive undoing (id, undoes, at) as (
            select u.id, u.undoes, u.at from usher.operation u where u.undoes = own.id and u.at > own.at and u.outcome = 'committed'
             union all
            select u.id, u.undoes, u.at
              from undoing l
             cross join lateral (
                   select o.id, o.undoes, o.at from usher.operation o
                    where o.undoes = l.id and o.at > l.at and o.outcome = 'committed' offset 0) u
        )
        select u.id, u.undoes from undoing u order by u.at desc
    loop
        if undo.id <> all (undone) then undone := undone || undo.undoes; end if;
    end loop;
    return case when own.id = any (undone) then 'undone' else own.outcome end;
end
$$;

-- Salts for some rows, in one value with sixteen bytes for each row. The salts are digests of one random seed that usher doesn't store, so
-- nobody can compute one salt from another. Generating a random number for each row would take too long.
create or replace function usher.salts(rows bigint) returns bytea
language sql volatile
as $$
    select string_agg(sha512(drawn.seed || int8send(part.number)), '')
      from (select uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) as seed) drawn,
           generate_series(0, greatest(salts.rows - 1, 0) / 4) as part (number)
$$;
