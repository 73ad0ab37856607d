-- What two acts on the same subject both lock, whatever the app file, and what an act locks of the users whom it concerns, so that
-- none of them is deleted beside it; the server's lock table is small, and what more than a hundred are changed by, their rows
-- keep apart. Whoever waits for some of them takes them in this order.
create or replace function usher.locks(app text, root jsonb, act jsonb, keys text[], users text[] default '{}') returns bigint[]
language sql stable
as $$
    select coalesce(array_agg(distinct l.lock order by l.lock), '{}')
      from (select hashtextextended(
                       'usher ' || case act ->> 'subject'
                                   when 'users' then coalesce((root ->> 'schema') || '.' || (root ->> 'table'), locks.app)
                                   else locks.app || ' ' || (act ->> 'noun') end || ' ' || k.key, 0) as lock
              from unnest(locks.keys) k (key)
             where cardinality(locks.keys) <= 100
             union all
            select unnest(usher.locks(locks.app, root, '{"subject": "users"}', locks.users)) where locks.users <> '{}') l
     where l.lock is not null
$$;
