-- Refuses the commit of an erasure while a row of its root still stands, and of a restoration unless all came back; and takes
-- down that it is so.
--
-- Deferred triggers can be called before the commit, and others after this one. So it answers only in the commit itself,
-- once nothing was written since it was called before, and allows no writing behind its answer. Whether it would be called
-- at once it learns from its own next call: where that comes before the statement is over, this is no commit yet.
create or replace function usher.guard_erasure() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set row_security = off
as $$
declare
    erasure usher.erasure;
    is_at_once boolean;
    written_last bigint;
    written_now bigint;
begin
    select e.* into erasure from usher.erasure e where e.operation = new.operation;
    if erasure.gone or erasure.back or erasure.round <> new.round then
        return null;
    end if;
    if erasure.asks then
        update usher.erasure e set at_once = true where e.operation = new.operation;
        return null;
    end if;
    -- Whoever deletes looks in this round as well, right before it is over.
    set constraints usher.erasure_asks_operator deferred;
    written_last := (select e.cmin::text::bigint from usher.erasure e where e.operation = new.operation);
    update usher.erasure e set round = e.round + 1, asks = true, at_once = false where e.operation = new.operation;
    update usher.erasure e set asks = false where e.operation = new.operation returning e.at_once into is_at_once;
    if is_at_once then
        set constraints usher.erasure_guard deferred;
        update usher.erasure e set round = e.round + 1 where e.operation = new.operation;
        return null;
    end if;
    -- Of the two statements above the second came right behind the first.
    written_now := (select e.cmin::text::bigint from usher.erasure e where e.operation = new.operation);
    if written_now <> written_last + 2 then
        return null;
    end if;
    if not erasure.by_operator then perform usher.refuse_root(erasure); end if;
    update usher.erasure e
       set gone = erasure.back is null, back = case when erasure.back is not null then true end, keys = null
     where e.operation = new.operation;
    perform set_config('transaction_read_only', 'on', true);
    return null;
end
$$;

create constraint trigger erasure_guard after insert or update of round on usher.erasure
       deferrable initially deferred for each row execute function usher.guard_erasure();

alter table usher.erasure enable always trigger erasure_guard;

-- By its name it comes before the other, and what was written between the two that one sees.
create constraint trigger erasure_asks_operator after insert or update of round on usher.erasure
       deferrable initially deferred for each row execute function usher.look_as_operator();

alter table usher.erasure enable always trigger erasure_asks_operator;
