-- Guards against an old snapshot and against a transaction that did something before.

-- Records the time together with a new transaction id, once a second at most. `refuse_stale` dates snapshots by it: a snapshot
-- that knows this id was taken later. A sequence keeps both, since no snapshot hides it and no rollback undoes it. The id must be
-- new: one that a transaction held back would make an old snapshot look young.
create or replace function usher.tick() returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    -- Before the id is assigned.
    seconds constant bigint := floor(extract(epoch from clock_timestamp() - timestamptz '2020-01-01 00:00:00+00'));
begin
    perform usher.refuse_written();
    if (select c.last_value >> 32 from usher.snapshot_clock c) <> seconds then
        perform setval('usher.snapshot_clock', (seconds << 32) | (pg_current_xact_id()::text::bigint & 4294967295));
    end if;
end
$$;

-- Refuses an old snapshot. The caller chooses the snapshot (SET TRANSACTION SNAPSHOT), and what the guards read by it may have
-- changed since. A snapshot is fresh if it shows everything that is committed, or if it was taken after a tick, and the tick was
-- at most three seconds before `at`. If it is not, the transaction has to begin again (40001). By then there is a new tick.
create or replace function usher.refuse_stale(at timestamptz) returns void
language plpgsql volatile
as $$
declare
    seen constant pg_snapshot := pg_current_snapshot();
    -- The snapshot shows nothing of this transaction id and of later ones.
    unseen constant bigint := pg_snapshot_xmax(seen)::text::bigint;
    tick constant bigint := (select c.last_value from usher.snapshot_clock c);
    ticked constant timestamptz := timestamptz '2020-01-01 00:00:00+00' + (tick >> 32) * interval '1 second';
    own bigint;
begin
    perform usher.tick();
    own := pg_current_xact_id()::text::bigint;
    -- The sequence keeps the last 32 bits of the id.
    if own - ((own - tick) & 4294967295) < unseen
       and ticked between refuse_stale.at - interval '3 seconds' and clock_timestamp() then
        return;
    end if;
    if own - unseen > 1000
       or exists (select from (select generate_series(unseen, own - 1)
                                union all
                               select i::text::bigint from pg_snapshot_xip(seen) i) x (id)
                   where coalesce(pg_xact_status(x.id::text::xid8), 'committed') = 'committed') then
        raise exception 'this transaction has an old snapshot and doesn''t see newer changes'
              using errcode = 'serialization_failure', hint = 'begin a new transaction';
    end if;
end
$$;

-- Refuses anything but the first write of a transaction: an earlier write may have left triggers of the caller that wait for the
-- commit.
create or replace function usher.refuse_written() returns void
language plpgsql volatile
as $$
begin
    if pg_current_xact_id_if_assigned() is not null then
        raise exception 'an action must be the first change of its transaction' using errcode = 'invalid_transaction_state';
    end if;
end
$$;

-- Refuses a transaction in which an action could be deceived. An action is the first thing that its transaction writes, and the
-- only one: what the caller deferred before would run as the owner of this schema. Its only snapshot is fresh. Its session has
-- nothing temporary: a function of the app that has a search path of its own looks for tables and types there first, and would
-- run what the caller made as the owner. A constraint is deferred only if it defers itself, since what comes with the commit is
-- not accounted for.
create or replace function usher.refuse_late(request jsonb) returns void
language plpgsql volatile
as $$
declare
    prompt text;
begin
    if current_setting('transaction_isolation') <> 'repeatable read' then
        raise exception 'an action needs the isolation level REPEATABLE READ' using errcode = 'invalid_transaction_state';
    end if;
    perform usher.refuse_written();
    perform usher.refuse_long(request);
    if clock_timestamp() - transaction_timestamp() > interval '5 seconds' then
        raise exception 'this transaction is too old for an action; begin a new one' using errcode = 'invalid_transaction_state';
    end if;
    -- The snapshot may not show what the session made since. This finds it, and the error undoes it.
    if pg_my_temp_schema() <> 0 then
        discard temp;
        if pg_current_xact_id_if_assigned() is not null then
            raise exception 'this session has temporary objects, which an action could confuse with tables of the app'
                  using errcode = 'US003', detail = 'temporary',
                        hint = 'connect again; behind a pooler, run `discard temp` to remove what another client left';
        end if;
    end if;
    perform usher.refuse_stale(clock_timestamp());
    select string_agg(distinct c.connamespace::regnamespace || '.' || quote_ident(c.conname), ', ') into prompt
      from pg_constraint c
     where c.condeferrable and not c.condeferred and c.connamespace <> 'usher'::regnamespace and has_schema_privilege(c.connamespace, 'usage')
       and (select t.relpersistence <> 't' from pg_class t where t.oid = c.conrelid);
    if prompt is not null then execute 'set constraints ' || prompt || ' immediate'; end if;
end
$$;

-- Refuses what is recorded of a request if it is too long, in characters, or not a text.
create or replace function usher.refuse_long(request jsonb) returns void
language plpgsql stable
as $$
declare
    limits constant jsonb := '{"reason": 2000, "ticket": 200, "arguments": 262144}';
    part record;
begin
    for part in
        select l.name, l.most::integer as most, jsonb_typeof(request -> l.name) as type,
               char_length(request ->> l.name) as length
          from jsonb_each_text(limits) l (name, most)
         where jsonb_typeof(request -> l.name) <> 'null'
    loop
        if part.type <> (case part.name when 'arguments' then 'object' else 'string' end) then
            raise exception '% must be text', part.name using errcode = 'US002', detail = 'no_text';
        end if;
        if part.length > part.most then
            raise exception '% has % characters, more than the limit of %', part.name, part.length, part.most
                  using errcode = 'US003', detail = 'too_long';
        end if;
    end loop;
end
$$;

-- The number of rows that this session wrote in each table of this schema and of the catalog, except `turn`. Only differences
-- mean anything, as with `counters`.
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

-- The catalog entries of all objects but the temporary ones of this session, and those of the relations `made`. An entry without a
-- relation belongs to none.
create or replace function usher.catalog_entries(made oid[] default '{}') returns table (catalog text, name text, version xid)
language sql stable
as $$
    select e.catalog, e.name, e.version
      from (select 'pg_class', c.oid::regclass::text, c.xmin, c.relnamespace, c.oid from pg_class c
             union all
            select 'pg_type', t.oid::regtype::text, t.xmin, t.typnamespace, coalesce(nullif(t.typrelid, 0), i.typrelid)
              from pg_type t left join pg_type i on i.oid = t.typelem
             union all
            -- A foreign key that refers to a partition has an entry at the table that refers to it.
            select 'pg_constraint', k.conname, k.xmin, k.connamespace,
                   case when k.conparentid <> 0 and k.confrelid = any (made) then k.confrelid else k.conrelid end
              from pg_constraint k
             union all
            -- A foreign key of a partition has triggers at the table that it refers to.
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

-- What `refuse_beside` compares: what this session wrote before an action, and how many objects there are, as `catalog_entries` lists
-- them. The session has nothing temporary then.
create or replace function usher.guarded() returns jsonb
language plpgsql volatile
as $$
begin
    return usher.write_counts() || jsonb_build_object('entries', jsonb_build_object(
        'pg_class', (select count(*) from pg_class), 'pg_type', (select count(*) from pg_type),
        'pg_constraint', (select count(*) from pg_constraint), 'pg_trigger', (select count(*) from pg_trigger),
        'pg_attrdef', (select count(*) from pg_attrdef), 'pg_sequence', (select count(*) from pg_sequence),
        'pg_namespace', (select count(*) from pg_namespace n where n.nspname !~ '^pg_(toast_)?temp_')));
end
$$;

-- Refuses an action that wrote more than rows of the app: the audit log, except changes that its own statement recorded
-- (`recorded`), functions, roles, owners or rights. Whatever made it do so runs as the owner of this schema. `guarded` is what was
-- counted before. Triggers may make temporary tables, large objects, and partitions as `own_partitions` describes them: these take
-- rows in the catalogs `usual`, of which nothing else may be new, changed or gone.
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
    select string_agg(c.key, ', ' order by c.key) into names
      from jsonb_each(counted) c
     where c.value is distinct from expected -> c.key and replace(c.key, 'pg_catalog.', '') <> all (usual);
    if names is null then
        made := usher.own_partitions();
        -- With their TOAST tables, and the indexes of both.
        made := made || array(select c.reltoastrelid from pg_class c where c.oid = any (made) and c.reltoastrelid <> 0);
        made := made || array(select i.indexrelid from pg_index i where i.indrelid = any (made));
        -- A TOAST table goes with its table.
        select (array_agg(e.name order by e.name ~ '^pg_toast', e.name))[1] into names
          from (select e.name, e.version from usher.catalog_entries(made) e
                 union all
                select c.oid::regclass::text, a.xmin from pg_attribute a join pg_class c on c.oid = a.attrelid
                 where c.relpersistence <> 't' and c.oid <> all (made)) e
         where usher.is_own(e.version);
    end if;
    if names is null then
        -- A dropped object has no entry any more.
        select string_agg(g.key, ', ' order by g.key) into names
          from jsonb_each_text(refuse_beside.guarded -> 'entries') g
         where g.value::bigint <> (select count(*) from usher.catalog_entries(made) e where e.catalog = g.key);
    end if;
    if names is not null then
        raise exception 'this action also writes %, which actions can''t change; nothing was changed', names
              using errcode = 'US003', detail = 'beside',
                    hint = 'check the triggers of the changed tables, and the functions that they call';
    end if;
    discard temp;
end
$$;

-- Sets what the app's statements and triggers read of the session, so that the caller doesn't choose it. Until the transaction
-- ends it is what the database and its owner set; else what it was when the app was installed, and empty if only triggers read it.
-- The settings of an extension that was added later are asked for.
create or replace function usher.own_session(app jsonb) returns void
language plpgsql volatile
as $$
declare
    standing constant jsonb :=
        (select coalesce(jsonb_object_agg(n.name, ''), '{}') from jsonb_array_elements_text(app -> 'settings') n (name))
        || case when app -> 'extensions' @> to_jsonb(usher.extensions()) then '{}' else usher.registered() end
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
     -- A setting that nobody set stays unset, which isn't the same as empty.
     where o.value is not null or current_setting(n.key, true) <> coalesce(n.value, '');
    -- Citus uses one session on each server, so that all rows of this transaction are counted there.
    if to_regclass('pg_catalog.pg_dist_partition') is not null then
        perform set_config('citus.max_adaptive_executor_pool_size', '1', true), set_config('citus.multi_shard_modify_mode', 'sequential', true);
    end if;
end
$$;

-- The extensions of this database. Their settings are recorded with each app.
create or replace function usher.extensions() returns text[]
language sql stable
as $$
    select coalesce(array_agg(e.extname || ' ' || e.extversion order by e.extname), '{}') from pg_extension e
$$;

-- The settings that extensions allow every session to change, with their defaults. An extension declares them only when its
-- library is loaded, and then takes over what somebody set before.
create or replace function usher.registered() returns jsonb
language plpgsql volatile
as $$
declare
    example oid;
begin
    -- Objects of the server itself have lower oids.
    for example in select min(p.oid) from pg_proc p where p.probin is not null and p.oid >= 16384 group by p.probin loop
        begin
            perform fmgr_c_validator(example);
        exception when others then
            -- A library that can't be loaded can't be called.
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
