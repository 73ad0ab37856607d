-- What two acts on the same subject both lock, whatever the app file; the server's lock table is small, and what more than a
-- hundred are changed by, their rows keep apart.
create or replace function usher.locks(app text, root jsonb, act jsonb, keys text[]) returns bigint[]
language sql stable
as $$
    select coalesce(array_agg(hashtextextended(
               'usher ' || case act ->> 'subject'
                           when 'users' then coalesce((root ->> 'schema') || '.' || (root ->> 'table'), locks.app)
                           else locks.app || ' ' || (act ->> 'noun') end || ' ' || k.key, 0) order by k.key), '{}')
      from unnest(locks.keys) k (key)
     where cardinality(locks.keys) <= 100
$$;
