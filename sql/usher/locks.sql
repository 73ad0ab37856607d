-- What two acts on the same subject both lock, whatever the app file, and what an act locks of the users whom it concerns, so that
-- none of them is deleted beside it; the server's lock table is small, and what more than a hundred are changed by, their rows
-- keep apart. Whoever waits for some of them takes them in this order.
create or replace function usher.locks(app text, root jsonb, act jsonb, keys text[], users text[] default '{}') returns bigint[]
language sql stable
as $$
    select coalesce(array_agg(distinct l.lock order by l.lock), '{}')
      from (select coalesce((root ->> 'schema') || '.' || (root ->> 'table'), locks.app)) as directory (name)
     cross join lateral (
           values (case act ->> 'subject' when 'users' then directory.name else locks.app || ' ' || (act ->> 'noun') end, locks.keys),
                  (directory.name, locks.users)
           ) as named (kind, keys)
     cross join lateral unnest(named.keys) as k (key)
     cross join lateral (select hashtextextended('usher ' || named.kind || ' ' || k.key, 0)) as l (lock)
     where cardinality(named.keys) <= 100 and l.lock is not null
$$;
