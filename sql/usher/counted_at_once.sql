-- Runs one statement that updates rows of one table and takes that down, under the search path that the app's triggers were
-- written for, and says what it says of itself: {written, straying, ...}. Where the server counted anything else, or rows
-- stray, nothing of it happened, and it raises. The statement's parameters are the instant, the keys, the arguments, the
-- operation, and an earlier operation.
create or replace function usher.counted_at_once(
    app jsonb, relation text, statement text, at timestamptz, keys text[], arguments jsonb, operation uuid, earlier uuid
) returns jsonb
language plpgsql volatile
as $$
declare
    deferred constant text := usher.deferred();
    before constant jsonb := usher.counters();
    guarded constant jsonb := usher.guarded();
    after jsonb;
    done jsonb;
begin
    perform pg_catalog.set_config(
        'search_path', pg_catalog.concat_ws(', ', nullif(pg_catalog.btrim(app ->> 'path'), ''), 'pg_temp'), true);
    execute statement into done using at, keys, arguments, operation, earlier;
    if deferred is not null then execute 'set constraints ' || deferred || ' immediate'; end if;
    perform pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    after := usher.counters();
    if (done ->> 'straying')::bigint > 0 or after -> 'tables' <> before -> 'tables' or after ->> 'elsewhere' is not null
       or after -> 'servers' is distinct from before -> 'servers'
       or exists (select from jsonb_each(after -> 'counts') n
                   where n.value is distinct from before -> 'counts' -> n.key
                     and (n.key <> relation
                          or (n.value ->> 0)::bigint <> coalesce((before -> 'counts' -> n.key ->> 0)::bigint, 0)
                          or (n.value ->> 2)::bigint <> coalesce((before -> 'counts' -> n.key ->> 2)::bigint, 0)))
       or (done ->> 'written')::bigint <> coalesce((after -> 'counts' -> relation ->> 1)::bigint, 0)
                                          - coalesce((before -> 'counts' -> relation ->> 1)::bigint, 0) then
        raise sqlstate 'UA006';
    end if;
    perform usher.refuse_beside(guarded, (done ->> 'changed')::bigint);
    return done;
end
$$;
