-- The functions that refuse an old snapshot, and a transaction with earlier writes.

-- Records the current time with a new transaction id (a tick), at most once a second. `refuse_stale` uses the tick to date snapshots: a
-- snapshot whose xmax is above this id was taken later. A sequence stores both numbers, because it ignores snapshots and rollbacks. The
-- transaction id must be new, because an older id would make an old snapshot look new.
create or replace function usher.advance_clock() returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    -- The time must be read before the id is assigned.
    seconds constant bigint := floor(extract(epoch from clock_timestamp() - timestamptz '2020-01-01 00:00:00+00'));
begin
    perform usher.refuse_written();
    if (select c.last_value >> 32 from usher.snapshot_clock c) <> seconds then
        perform setval('usher.snapshot_clock', (seconds << 32) | (pg_current_xact_id()::text::bigint & 4294967295));
    end if;
end
$$;

-- Refuses an old snapshot. With an old snapshot (SET TRANSACTION SNAPSHOT), the checks of this schema would read old data. A snapshot is
-- new enough if it shows all committed transactions, or if it was taken after a tick at most three seconds before `at`. Otherwise the
-- function records a new tick and raises 40001; the caller must begin a new transaction.
create or replace function usher.refuse_stale(at timestamptz) returns void
language plpgsql volatile
as $$
declare
    seen constant pg_snapshot := pg_current_snapshot();
    -- The snapshot shows no changes by transactions with this id or a later id.
    unseen constant bigint := pg_snapshot_xmax(seen)::text::bigint;
    tick constant bigint := (select c.last_value from usher.snapshot_clock c);
    ticked constant timestamptz := timestamptz '2020-01-01 00:00:00+00' + (tick >> 32) * interval '1 second';
    own bigint;
begin
    perform usher.advance_clock();
    own := pg_current_xact_id()::text::bigint;
    -- The sequence stores only the last 32 bits of the transaction id.
    if own - ((own - tick) & 4294967295) < unseen
       and ticked between refuse_stale.at - interval '3 seconds' and clock_timestamp() then
        return;
    end if;
    if own - unseen > 1000
       or exists (select from (select generate_series(unseen, own - 1)
                                union all
                               select i::text::bigint from pg_snapshot_xip(seen) i) x (id)
                   where coalesce(pg_xact_status(x.id::text::xid8), 'committed') = 'committed') then
        raise exception 'the snapshot of this transaction is too old, so the transaction doesn''t see newer changes'
              using errcode = 'serialization_failure', hint = 'begin a new transaction';
    end if;
end
$$;

-- Refuses an action if its transaction already wrote something, because the caller may have queued deferred triggers, which would run as
-- the owner of this schema.
create or replace function usher.refuse_written() returns void
language plpgsql volatile
as $$
begin
    if pg_current_xact_id_if_assigned() is not null then
        raise exception 'an action must be the first change of its transaction' using errcode = 'invalid_transaction_state';
    end if;
end
$$;

-- Refuses a transaction in which the caller could manipulate an action:
--   An action must be the first write of its transaction, because triggers that the caller deferred would run as the owner of this
--   schema.
--   The transaction must have a single, new snapshot.
--   The session must have no temporary objects: a function of the app with its own search path searches temporary tables and types
--   first, so code of the caller would run as the owner.
--   The function sets constraints that are not deferred by default to immediate, because usher can't record changes at the commit.
create or replace function usher.refuse_late(request jsonb) returns void
language plpgsql volatile
as $$
declare
    prompt constant text := usher.deferrable(false);
begin
    if current_setting('transaction_isolation') <> 'repeatable read' then
        raise exception 'an action needs the isolation level REPEATABLE READ' using errcode = 'invalid_transaction_state';
    end if;
    perform usher.refuse_written();
    perform usher.refuse_long(request);
    if clock_timestamp() - transaction_timestamp() > interval '5 seconds' then
        raise exception 'this transaction is too old for an action; begin a new one' using errcode = 'invalid_transaction_state';
    end if;
    -- The snapshot doesn't show temporary objects that the session created later. If `discard temp` finds any, it writes rows, and the
    -- error rolls it back.
    if pg_my_temp_schema() <> 0 then
        discard temp;
        if pg_current_xact_id_if_assigned() is not null then
            raise exception 'this session has temporary objects, and an action could use them instead of tables of the app'
                  using errcode = 'US003', detail = 'temporary',
                        hint = 'connect again; behind a pooler, run `discard temp` to remove the temporary objects of other clients';
        end if;
    end if;
    perform usher.refuse_stale(clock_timestamp());
    if prompt is not null then execute 'set constraints ' || prompt || ' immediate'; end if;
end
$$;

-- Refuses a request if a member that the audit log records has too many characters or is not a text.
create or replace function usher.refuse_long(request jsonb) returns void
language plpgsql stable
as $$
declare
    part record;
begin
    for part in
        select l.name, l.most, char_length(request ->> l.name) as length, jsonb_typeof(request -> l.name) <> l.type as is_other
          from (values ('reason', 2000, 'string'), ('ticket', 200, 'string'), ('arguments', 262144, 'object')) as l (name, most, type)
         where jsonb_typeof(request -> l.name) <> 'null'
    loop
        if part.is_other then
            raise exception 'the member % of the request must be a text', part.name using errcode = 'US002', detail = 'no_text';
        elsif part.length > part.most then
            raise exception 'the % has % characters, but the limit is %', part.name, part.length, part.most
                  using errcode = 'US003', detail = 'too_long';
        end if;
    end loop;
end
$$;

-- The number of rows that this session wrote in each table of this schema and of the catalog, except in the table `turn`. As with
-- `counters`, only differences are meaningful.
create or replace function usher.write_counts() returns jsonb
language plpgsql volatile
as $$
begin
    return (
        select coalesce(jsonb_object_agg(c.relnamespace::regnamespace || '.' || c.relname, w.rows), '{}')
          from pg_class c
         cross join lateral (
               select pg_stat_get_xact_tuples_inserted(c.oid) + pg_stat_get_xact_tuples_updated(c.oid) + pg_stat_get_xact_tuples_deleted(c.oid)
               ) as w (rows)
         where c.relkind = 'r' and c.relnamespace in ('usher'::regnamespace, 'pg_catalog'::regnamespace) and w.rows > 0
           and c.oid <> 'usher.turn'::regclass);
end
$$;

-- The catalog rows of all objects, except temporary objects of this session and objects of the relations in `made`. Objects without a
-- relation, such as schemas, are always included.
create or replace function usher.catalog_entries(made oid[]) returns table (catalog text, name text, version xid)
language sql stable
as $$
    select e.catalog, e.name, e.version
      from (select 'pg_class', c.oid::regclass::text, c.xmin, c.relnamespace, c.oid from pg_class c
             union all
            select 'pg_type', t.oid::regtype::text, t.xmin, t.typnamespace, coalesce(nullif(t.typrelid, 0), i.typrelid)
              from pg_type t left join pg_type i on i.oid = t.typelem
             union all
            -- pg_constraint lists a foreign key to a partition under the referring table, but the key belongs to the partition.
            select 'pg_constraint', k.conname, k.xmin, k.connamespace,
                   case when k.conparentid <> 0 and k.confrelid = any (made) then k.confrelid else k.conrelid end
              from pg_constraint k
             union all
            -- A foreign key of a partition has triggers on the referenced table, but they belong to the partition.
            select 'pg_trigger', t.tgname, t.xmin, c.relnamespace,
                   case when t.tgisinternal and t.tgconstrrelid = any (made) then t.tgconstrrelid else c.oid end
              from pg_trigger t join pg_class c on c.oid = t.tgrelid
             union all
            select 'pg_attrdef', c.oid::regclass::text, d.xmin, c.relnamespace, c.oid from pg_attrdef d join pg_class c on c.oid = d.adrelid
             union all
            select 'pg_sequence', c.oid::regclass::text, s.xmin, c.relnamespace, c.oid from pg_sequence s join pg_class c on c.oid = s.seqrelid
             union all
            select 'pg_namespace', n.nspname, n.xmin, n.oid, null from pg_namespace n
             where n.nspname !~ '^pg_(toast_)?temp_') e (catalog, name, version, place, relation)
     where (e.relation is null or e.relation <> all (made))
       and e.place not in (select n.oid from pg_namespace t, pg_namespace n
                            where t.oid = pg_my_temp_schema() and n.nspname in (t.nspname, replace(t.nspname, 'pg_temp_', 'pg_toast_temp_')))
$$;

-- The counts that `refuse_beside` compares: the rows that this session wrote before an action, and the objects in `catalog_entries`. Before
-- an action, the session has no temporary objects.
create or replace function usher.guarded() returns jsonb
language sql volatile
as $$
    select usher.write_counts() || jsonb_build_object('entries', jsonb_build_object(
        'pg_class', (select count(*) from pg_class), 'pg_type', (select count(*) from pg_type),
        'pg_constraint', (select count(*) from pg_constraint), 'pg_trigger', (select count(*) from pg_trigger),
        'pg_attrdef', (select count(*) from pg_attrdef), 'pg_sequence', (select count(*) from pg_sequence),
        'pg_namespace', (select count(*) from pg_namespace n where n.nspname !~ '^pg_(toast_)?temp_')))
$$;

-- Refuses an action that wrote anything except rows of the app: for example the audit log, functions, roles, owners or rights. Such a write
-- would run as the owner of this schema. `guarded` has the counts from before the action. `recorded` is the number of changes that the
-- statement of the action recorded itself. Triggers can create temporary tables, large objects, and partitions as in `own_partitions`;
-- these write rows of the catalogs in `usual`. The function refuses any other new, changed or dropped object.
create or replace function usher.refuse_beside(guarded jsonb, recorded bigint default 0) returns void
language plpgsql volatile
as $$
declare
    usual constant text[] := '{pg_class,pg_attribute,pg_attrdef,pg_type,pg_constraint,pg_trigger,pg_namespace,pg_index,pg_inherits,
                               pg_sequence,pg_depend,pg_shdepend,pg_description,pg_statistic,pg_largeobject,pg_largeobject_metadata}';
    expected constant jsonb := refuse_beside.guarded - 'entries' || case when recorded = 0 then '{}' else jsonb_build_object(
        'usher.change', coalesce((refuse_beside.guarded ->> 'usher.change')::bigint, 0) + recorded) end;
    counted constant jsonb := usher.write_counts();
    made oid[];
    names text;
begin
    if counted = expected then return; end if;
    names := (select string_agg(c.key, ', ' order by c.key)
                from jsonb_each(counted) c
               where c.value is distinct from expected -> c.key and replace(c.key, 'pg_catalog.', '') <> all (usual));
    if names is null then
        made := usher.own_partitions();
        -- Adds the TOAST tables of the partitions, and the indexes of partitions and TOAST tables.
        made := made || array(select c.reltoastrelid from pg_class c where c.oid = any (made) and c.reltoastrelid <> 0);
        made := made || array(select i.indexrelid from pg_index i where i.indrelid = any (made));
        names := coalesce(
            -- The message contains the name of the table instead of the name of its TOAST table.
            (select (array_agg(e.name order by e.name ~ '^pg_toast', e.name))[1]
               from (select e.name, e.version from usher.catalog_entries(made) e
                      union all
                     select c.oid::regclass::text, a.xmin from pg_attribute a join pg_class c on c.oid = a.attrelid
                      where c.relpersistence <> 't' and c.oid <> all (made)) e
              where usher.is_own(e.version)),
            -- A dropped object has no catalog row any more, so the number of rows differs.
            (select string_agg(g.key, ', ' order by g.key)
               from jsonb_each_text(refuse_beside.guarded -> 'entries') g
              where g.value::bigint <> (select count(*) from usher.catalog_entries(made) e where e.catalog = g.key)));
    end if;
    if names is not null then
        raise exception 'this action also writes %, but actions may change only rows of the app; nothing was changed', names
              using errcode = 'US003', detail = 'beside',
                    hint = 'check the triggers of the changed tables, and the functions that they call';
    end if;
    discard temp;
end
$$;

-- Sets the session settings that statements and triggers of the app read, so that the caller can't choose them. Until the end of the
-- transaction, a setting has the value that ALTER DATABASE or ALTER ROLE sets for the database or its owner. Without such a value, it has
-- the value at the installation of the app. A setting that only the app's own functions, policies, defaults or views read becomes empty,
-- unless ALTER DATABASE sets it. If an extension was added after the installation of the app, its settings have their defaults.
create or replace function usher.own_session(app jsonb) returns void
language plpgsql volatile
as $$
declare
    standing constant jsonb :=
        (select coalesce(jsonb_object_agg(n.name, ''), '{}') from jsonb_array_elements_text(app -> 'settings') n (name))
        || case when app -> 'extensions' @> (select jsonb_agg(e.extname || ' ' || e.extversion) from pg_extension e) then '{}' else usher.registered() end
        || coalesce(app -> 'standing', '{}');
begin
    perform set_config(n.key, coalesce(o.value, n.value, ''), true)
       from jsonb_each_text(standing) n
       left join (
            select distinct on (1) lower(split_part(s.pair, '=', 1)) as name, substr(s.pair, strpos(s.pair, '=') + 1) as value
              from pg_db_role_setting d
             cross join lateral unnest(d.setconfig) as s (pair)
             where d.setdatabase in (0, (select b.oid from pg_database b where b.datname = current_database()))
               and d.setrole in (0, (select r.oid from pg_roles r where r.rolname = current_user))
             order by 1, d.setrole <> 0 desc, d.setdatabase <> 0 desc) o on o.name = n.key
     -- A setting without a value stays unset, because unset and empty are different.
     where o.value is not null or current_setting(n.key, true) <> coalesce(n.value, '');
    -- Citus must use only one session on each server, because usher reads the row counts of that session. It needs the values of the
    -- parameters to plan a statement.
    if to_regclass('pg_catalog.pg_dist_partition') is not null then
        perform set_config('citus.max_adaptive_executor_pool_size', '1', true), set_config('citus.multi_shard_modify_mode', 'sequential', true),
                set_config('plan_cache_mode', 'auto', true);
    end if;
end
$$;

-- The settings of extensions that every session can change, with their defaults. The function loads the libraries of all extensions,
-- because an extension declares its settings only when its library is loaded.
create or replace function usher.registered() returns jsonb
language plpgsql volatile
as $$
declare
    example oid;
begin
    -- Objects of the server itself have oids below 16384.
    for example in select min(p.oid) from pg_proc p where p.probin is not null and p.oid >= 16384 group by p.probin loop
        begin
            perform fmgr_c_validator(example);
        exception when others then
            -- If the server can't load the library, its functions can't run either.
            null;
        end;
    end loop;
    return (select coalesce(jsonb_object_agg(
                       lower(s.name),
                       case when s.source in ('session', 'client', 'user', 'database user') then s.boot_val else s.setting end), '{}')
              from pg_settings s
             where strpos(s.name, '.') > 0 and s.context = 'user');
end
$$;
