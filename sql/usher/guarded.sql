-- The number of rows that this session wrote in each table of this schema and of the catalog, except `turn`. Only differences
-- mean anything, as with `counters`.
create or replace function usher.guarded() returns jsonb
language sql volatile
as $$
    select coalesce(jsonb_object_agg(c.relnamespace::regnamespace || '.' || c.relname, w.rows), '{}')
      from pg_class c
     cross join lateral (
           select pg_stat_get_xact_tuples_inserted(c.oid) + pg_stat_get_xact_tuples_updated(c.oid) + pg_stat_get_xact_tuples_deleted(c.oid)
           ) as w (rows)
     where c.relkind = 'r' and c.relnamespace in ('usher'::regnamespace, 'pg_catalog'::regnamespace) and w.rows > 0
       and c.oid <> 'usher.turn'::regclass
$$;
