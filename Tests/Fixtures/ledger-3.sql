-- The schema `usher` as version 3 made it.
create schema if not exists usher;

create table if not exists usher.environment (
    name              text        not null check (name in ('production', 'staging', 'development', 'test')),
    system_identifier bigint      not null,
    database          oid         not null,
    marked_at         timestamptz not null default transaction_timestamp(),
    marked_by         text        not null default session_user
);

delete from usher.environment where (select count(*) from usher.environment) > 1;

create unique index if not exists environment_is_one_row on usher.environment ((true));

create table if not exists usher.operation (
    id          uuid        not null primary key,
    at          timestamptz not null default clock_timestamp(),
    operator    text        not null default session_user,
    transaction xid8        not null default pg_current_xact_id(),
    kind        text        not null
                check (kind in ('change', 'bulk', 'batch', 'end', 'undo', 'erasure', 'forget', 'install')),
    outcome     text        not null check (outcome in ('committed', 'refused', 'failed', 'partial', 'lost')),
    command     text        not null,
    app         text,
    parent      uuid,
    undoes      uuid,
    digest      bytea       not null,
    salt        bytea,
    payload     jsonb,
    erased      uuid
);

create index if not exists operation_at on usher.operation (at);
create index if not exists operation_transaction on usher.operation (transaction);
create index if not exists operation_parent on usher.operation (parent) where parent is not null;
create index if not exists operation_undoes on usher.operation (undoes) where undoes is not null;
create index if not exists operation_erased on usher.operation (erased) where erased is not null;

alter table usher.operation add column if not exists app_digest bytea;
alter table usher.operation add column if not exists request uuid;
alter table usher.operation add column if not exists root text;
alter table usher.operation add column if not exists subjects text[];

create index if not exists operation_subjects on usher.operation using gin (subjects);

create table if not exists usher.act (
    app          text        not null,
    digest       bytea       not null,
    kind         text        not null check (kind in ('app', 'action', 'state', 'setting')),
    name         text        not null,
    role         text        not null,
    definition   jsonb       not null,
    installed_at timestamptz not null default clock_timestamp(),
    installed_by text        not null default session_user,
    retired_at   timestamptz,
    primary key (app, digest, kind, name)
);

create table if not exists usher.subject (
    operation uuid    not null,
    ordinal   integer not null,
    key       text    not null,
    primary key (operation, ordinal)
);

create index if not exists subject_key on usher.subject (key);

create table if not exists usher.change (
    operation uuid    not null,
    ordinal   integer not null,
    digest    bytea   not null,
    salt      bytea,
    payload   jsonb,
    erased    uuid,
    primary key (operation, ordinal)
);

create index if not exists change_erased on usher.change (erased) where erased is not null;

create table if not exists usher.seal (
    number            bigint      not null primary key,
    at                timestamptz not null default clock_timestamp(),
    system_identifier bigint      not null,
    horizon           xid8        not null,
    root              bytea       not null,
    head              bytea       not null
);

create table if not exists usher.sealed (
    operation uuid   not null primary key,
    seal      bigint not null,
    changes   bigint not null,
    leaf      bytea  not null
);

create index if not exists sealed_seal on usher.sealed (seal);

drop function if exists usher.verify(text);
drop function if exists usher.tally();

drop function if exists usher.record(uuid, text, text, text, text, uuid, uuid, jsonb);
drop function if exists usher.record_changes(uuid, integer, jsonb[]);

grant usage on schema usher to public;
create table if not exists usher.erasure (
    operation uuid    not null primary key,
    root      text    not null,
    "column"  text    not null,
    type      text    not null,
    equals    text    not null,
    keys      text[],
    -- How many of the rows stood when it was opened.
    standing  bigint  not null,
    gone      boolean not null default false,
    round     integer not null default 0,
    -- Whether a round asks when it would be called, and what it learned.
    asks      boolean not null default false,
    at_once   boolean not null default false
);

alter table usher.operation drop constraint if exists operation_kind_check;
alter table usher.operation add constraint operation_kind_check
      check (kind in ('change', 'bulk', 'batch', 'end', 'undo', 'erasure', 'restore', 'forget', 'install'));

drop function if exists usher.forget(uuid, text[]);

create index if not exists operation_without_root on usher.operation (id) where root is null;
create or replace function usher.leaf(o usher.operation, out changes bigint, out leaf bytea)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select c.changes,
           sha256(convert_to((jsonb_build_array(
               o.id, extract(epoch from o.at), o.operator, o.transaction::text, o.kind, o.outcome, o.command, o.app,
               o.parent, o.undoes, encode(o.digest, 'hex'), c.changes, encode(c.root, 'hex'),
               e.changes, encode(e.root, 'hex'))
               -- What was recorded before there were these comes to what it came to then.
               || case when num_nonnulls(o.app_digest, o.request, o.root) = 0 then '[]'
                       else jsonb_build_array(encode(o.app_digest, 'hex'), o.request, o.root) end)::text, 'UTF8'))
      from (select count(*) as changes, sha256(string_agg(int4send(c.ordinal) || c.digest, '' order by c.ordinal)) as root
              from usher.change c
             where c.operation = o.id) c,
           (select count(*) as changes,
                   sha256(string_agg(uuid_send(e.operation) || int4send(e.ordinal), '' order by e.operation, e.ordinal)) as root
              from (select c.operation, c.ordinal from usher.change c where c.erased = o.id
                     union all
                    select p.id, -1 from usher.operation p where p.erased = o.id) e) e
$$;
create or replace function usher.root(seal bigint) returns bytea
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select sha256(string_agg(uuid_send(s.operation) || int8send(s.changes) || s.leaf, '' order by s.operation))
      from usher.sealed s
     where s.seal = $1
$$;
create or replace function usher.head(seal usher.seal, previous bytea) returns bytea
language sql immutable set search_path = pg_catalog, pg_temp
as $$
    select sha256(convert_to(jsonb_build_array(
        seal.number, extract(epoch from seal.at), seal.system_identifier::text, seal.horizon::text,
        encode(seal.root, 'hex'), encode(previous, 'hex'))::text, 'UTF8'))
$$;
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
    if not pg_try_advisory_xact_lock(hashtextextended('usher.seal', 0)) then
        return (select encode(s.head, 'hex') from usher.seal s order by s.number desc limit 1);
    end if;
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
create or replace function usher.outcome(operation uuid) returns text
language sql stable set search_path = pg_catalog, pg_temp
as $$
    select case
        when l.outcome not in ('committed', 'partial', 'running') then l.outcome
        -- Not EXISTS, which Postgres may answer by asking every operation what became of it.
        when l.kind = 'bulk'
        then case when (select true from usher.operation b
                         where b.parent = l.id and b.kind = 'batch' and b.outcome = 'committed' limit 1)
                   and (select true from usher.operation b
                         where b.parent = l.id and b.kind = 'batch' and b.outcome = 'committed'
                           and usher.outcome(b.id) <> 'undone' limit 1) is null
                  then 'undone' else l.outcome end
        when (select true from usher.operation u
               where u.undoes = l.id and u.at > l.at and usher.outcome(u.id) = 'committed' limit 1)
        then 'undone'
        else l.outcome
        end
      from (select o.id, o.at, o.kind,
                   case when o.kind <> 'bulk' or o.outcome <> 'committed' then o.outcome
                        else coalesce((select e.outcome from usher.operation e
                                        where e.parent = o.id and e.kind = 'end'
                                        order by e.at desc limit 1), 'running')
                   end as outcome
              from usher.operation o
             where o.id = $1) l
$$;
create or replace function usher.environment_name() returns text
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
    if not exists (
        select from pg_class c
          join pg_namespace n on n.oid = c.relnamespace
          join pg_roles s on s.oid = n.nspowner
          join pg_roles o on o.oid = c.relowner
          join pg_database d on d.datname = current_database()
         where n.nspname = 'usher' and c.relname = 'environment' and c.relkind = 'r'
           and (s.rolsuper or s.oid = d.datdba) and (o.rolsuper or o.oid = d.datdba)) then
        return 'production';
    end if;
    return coalesce(
        (select min(e.name)
           from usher.environment e
           join pg_control_system() s on s.system_identifier = e.system_identifier
           join pg_database d on d.oid = e.database and d.datname = current_database()
         having count(*) = 1 and (select count(*) from usher.environment) = 1),
        'production');
end
$$;
create or replace function usher.shape(relation oid, secrets text[]) returns jsonb
language sql stable
as $$
    with recursive
    ancestry (ancestor) as (
        select shape.relation
         union
        select i.inhparent from ancestry a join pg_inherits i on i.inhrelid = a.ancestor
    ),
    base (type, base) as (
        select distinct a.atttypid, a.atttypid
          from pg_attribute a
         where a.attrelid = shape.relation and a.attnum > 0 and not a.attisdropped
         union
        select b.type, coalesce(nullif(d.typbasetype, 0), nullif(d.typelem, 0))
          from base b join pg_type d on d.oid = b.base
         where d.typbasetype <> 0 or d.typcategory = 'A'
    ),
    -- The types that a column is made of: itself, what its domains stand for, what its arrays hold.
    made (type, form) as (
        select b.type,
               case when bool_or(t.oid = 'json'::regtype) and not bool_or(t.typcategory = 'A') then 'json'
                    when bool_or(t.oid = 'jsonb'::regtype) and not bool_or(t.typcategory = 'A') then 'jsonb'
                    when bool_or(t.typtype = 'c' or t.oid in ('json'::regtype, 'jsonb'::regtype)
                                 or exists (select from pg_cast k
                                             where k.castsource = t.oid and k.casttarget = 'json'::regtype
                                               and t.oid >= 16384)) then 'text'
                    when bool_or(t.typcategory = 'A') then 'array'
                    when bool_or(t.oid in ('float4'::regtype, 'float8'::regtype)) then 'float'
                    else 'plain' end
          from base b join pg_type t on t.oid = b.base
         group by 1
    )
    select jsonb_build_object(
               'oid', c.oid::text,
               'schema', n.nspname, 'relation', c.relname, 'name', n.nspname || '.' || c.relname,
               'sql', quote_ident(n.nspname) || '.' || quote_ident(c.relname),
               'temporary', c.relpersistence = 't',
               'triggered', exists (select from pg_trigger g
                                     where g.tgrelid = c.oid and not g.tgisinternal and g.tgenabled <> 'D'
                                       and g.tgtype & 16 <> 0),
               'insert_triggered', exists (select from pg_trigger g
                                            where g.tgrelid = c.oid and not g.tgisinternal and g.tgenabled <> 'D'
                                              and g.tgtype & 7 = 7),
               'ancestors', (select jsonb_agg(m.nspname || '.' || p.relname)
                               from ancestry y
                               join pg_class p on p.oid = y.ancestor
                               join pg_namespace m on m.oid = p.relnamespace),
               'columns', jsonb_agg(
                   jsonb_build_object(
                       'name', a.attname, 'sql', quote_ident(a.attname), 'type', format_type(a.atttypid, a.atttypmod),
                       'type_oid', a.atttypid::bigint, 'form', f.form, 'generated', a.attgenerated <> '',
                       'in_key', coalesce(a.attnum = any (k.columns), false),
                       'secret', n.nspname || '.' || c.relname || '.' || a.attname = any (shape.secrets))
                   order by a.attnum))
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      join made f on f.type = a.atttypid
      left join lateral (
           select (i.indkey::int2[])[0:i.indnkeyatts - 1] as columns
             from pg_index i
            where i.indrelid = c.oid and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null
              and not exists (select from pg_attribute b
                               where b.attrelid = c.oid and b.attnum = any ((i.indkey::int2[])[0:i.indnkeyatts - 1])
                                 and not b.attnotnull)
            order by i.indisprimary desc, i.indnkeyatts, i.indexrelid
            limit 1) k on true
     where c.oid = shape.relation
     group by c.oid, n.oid, n.nspname, c.relname
$$;
create or replace function usher.has_key(shape jsonb) returns boolean
language sql immutable
as $$ select jsonb_path_exists(shape, '$.columns[*] ? (@.in_key == true)') $$;
create or replace function usher.object(columns jsonb, alias text) returns text
language sql immutable
as $$
    select coalesce(string_agg('pg_catalog.jsonb_build_object(' || chunk.pairs || ')', ' || ' order by chunk.number), '''{}''::jsonb')
      from (select (c.place - 1) / 50 as number,
                   string_agg(
                       quote_literal(c.of ->> 'name') || ', ' || case c.of ->> 'form'
                           when 'plain' then v.value
                           when 'float' then format('case when %1$s::text = ''-0'' then pg_catalog.to_jsonb(%1$s::text) else pg_catalog.to_jsonb(%1$s) end', v.value)
                           when 'array' then format('case when %1$s::text ~ ''^\[|-0[,}]'' then pg_catalog.to_jsonb(%1$s::text) else pg_catalog.to_jsonb(%1$s) end', v.value)
                           when 'jsonb' then format('case when pg_catalog.jsonb_typeof(%1$s) in (''object'', ''array'') then %1$s::jsonb else pg_catalog.to_jsonb(%1$s::text) end', v.value)
                           else format('pg_catalog.to_jsonb(%s::text)', v.value) end,
                       ', ' order by c.place) as pairs
              from jsonb_array_elements(object.columns) with ordinality as c (of, place),
                   lateral (select object.alias || '.' || (c.of ->> 'sql') as value) v
             group by 1) chunk
$$;
create or replace function usher.image(shape jsonb, salt text default null) returns text
language sql immutable
as $$
    select case when hidden.digests is null
                then 'to_jsonb(t.*)' || case when special.columns is null then '' else ' || ' || usher.object(special.columns, 't') end
                else usher.object(shown.columns, 't') || case when image.salt is null then '' else ' || ' || hidden.digests end
           end
      from (select jsonb_agg(c.of order by c.place) as columns
              from jsonb_array_elements(image.shape -> 'columns') with ordinality as c (of, place)
             where not (c.of ->> 'secret')::boolean) shown,
           (select jsonb_agg(c.of order by c.place) as columns
              from jsonb_array_elements(image.shape -> 'columns') with ordinality as c (of, place)
             where c.of ->> 'form' <> 'plain') special,
           (select string_agg(
                       format('jsonb_build_object(%L, sha256(convert_to(%L || t.%s::text, ''UTF8'')))',
                              c.of ->> 'name', coalesce(image.salt, ''), c.of ->> 'sql'), ' || ') as digests
              from jsonb_array_elements(image.shape -> 'columns') as c (of)
             where (c.of ->> 'secret')::boolean) hidden
$$;
create or replace function usher.key_texts(shape jsonb) returns text
language sql immutable
as $$
    select format('jsonb_build_array(%s)', string_agg(format('t.%s::text', c.of ->> 'sql'), ', ' order by c.place))
      from jsonb_array_elements(shape -> 'columns') with ordinality as c (of, place)
     where (c.of ->> 'in_key')::boolean
$$;
create or replace function usher.key_join(shape jsonb) returns text
language sql immutable
as $$
    select string_agg(format('t.%s = (e.value ->> %s)::%s', k.of ->> 'sql', k.place - 1, k.of ->> 'type'), ' and ' order by k.place)
      from (select c.of, row_number() over (order by c.place) as place
              from jsonb_array_elements(shape -> 'columns') with ordinality as c (of, place)
             where (c.of ->> 'in_key')::boolean) k
$$;
create or replace function usher.counters() returns jsonb
language plpgsql volatile
as $$
begin
    if not current_setting('track_counts')::boolean then
        raise exception 'the server does not count what is changed, so no change could be accounted for'
              using errcode = 'US003', hint = 'a superuser has to set track_counts to on';
    end if;
    return jsonb_build_object(
        'counts', coalesce(
            (select jsonb_object_agg(s.relid, jsonb_build_array(s.n_tup_ins, s.n_tup_upd, s.n_tup_del))
               from pg_stat_xact_user_tables s
              where s.schemaname <> 'usher' and s.n_tup_ins + s.n_tup_upd + s.n_tup_del > 0), '{}'),
        'tables', (select count(*) || ' ' || sum(hashtextextended(c.oid::text || ' ' || c.xmin::text, 0))
                     from pg_class c
                    where c.relkind in ('r', 'p') and c.relpersistence <> 't'),
        'elsewhere', (select jsonb_agg(n.nspname || '.' || c.relname order by 1)
                        from pg_locks l
                        join pg_class c on c.oid = l.relation and c.relkind = 'f'
                        join pg_namespace n on n.oid = c.relnamespace
                       where l.locktype = 'relation' and l.pid = pg_backend_pid() and l.granted
                         and l.database = (select d.oid from pg_database d where d.datname = current_database())
                         and l.mode in ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')));
end
$$;
create or replace function usher.relation_name(target jsonb) returns text
language sql immutable
as $$ select (target ->> 'schema') || '.' || (target ->> 'name') || case when (target ->> 'heirs')::boolean then ' *' else '' end $$;
create or replace function usher.written(targets jsonb) returns jsonb
language sql stable
as $$
    with recursive
    wanted as (
        select distinct w.schema, w.name, w.heirs, c.oid
          from jsonb_to_recordset(written.targets) as w (schema text, name text, heirs boolean)
          join pg_namespace n on n.nspname = w.schema
          join pg_class c on c.relnamespace = n.oid and c.relname = w.name
    ),
    -- What is listed there lies on many servers. It is text that ts_stat() runs, since the list may not exist.
    distributed as (
        select d.word::oid as oid
          from ts_stat(case when to_regclass('pg_catalog.pg_dist_partition') is null then 'select null::tsvector where false'
                            else 'select array_to_tsvector(array_agg(p.logicalrelid::oid::text))
                                    from pg_catalog.pg_dist_partition p' end) d
    ),
    -- Only what a view reads alone is certainly what is written through it.
    reached (origin, heirs, below, oid, is_certain) as (
        select w.oid, w.heirs, w.heirs, w.oid, true from wanted w
         union
        select r.origin, r.heirs, next.below, next.oid, r.is_certain and next.is_only and not diverted.is_so
          from reached r
          join pg_class c on c.oid = r.oid
         cross join lateral (
               select exists (select from pg_trigger g where g.tgrelid = c.oid and g.tgtype & 64 <> 0)
                      or exists (select from pg_rewrite w where w.ev_class = c.oid and w.is_instead and w.ev_type <> '1')
               ) as diverted (is_so)
         cross join lateral (
               select i.inhrelid, true, r.below
                 from pg_inherits i
                where i.inhparent = c.oid and (r.below or c.relkind = 'p')
                union all
               -- Whether a view reads the heirs too stands in its rule alone.
               select s.oid, count(*) over () = 1,
                      r.below and (s.rule ~ format(':relid %s [^{}]*:inh true', s.oid)
                                   or s.rule !~ format(':relid %s [^{}]*:inh false', s.oid))
                 from (select distinct d.refobjid as oid, w.ev_action::text as rule
                         from pg_rewrite w
                         join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid
                                         and d.refclassid = 'pg_class'::regclass and d.refobjid <> w.ev_class
                        where c.relkind = 'v' and w.ev_class = c.oid and w.ev_type = '1') s
               ) as next (oid, is_only, below)
    ),
    judged as (
        select r.origin, r.heirs, r.oid, c.relkind, n.nspname, c.relname,
               exists (select from pg_trigger g where g.tgrelid = c.oid and g.tgtype & 64 <> 0)
               or exists (select from pg_rewrite w where w.ev_class = c.oid and w.is_instead and w.ev_type <> '1') as is_diverted,
               case when not r.is_certain then null
                    when n.nspname = 'usher' then 'ledger'
                    when c.relkind = 'f' then 'foreign'
                    when c.oid in (select d.oid from distributed d) then 'distributed' end as obstacle
          from reached r
          join pg_class c on c.oid = r.oid
          join pg_namespace n on n.oid = c.relnamespace
    )
    select coalesce(jsonb_object_agg(r.name, r.reach), '{}')
      from (select w.schema || '.' || w.name || case when w.heirs then ' *' else '' end as name,
                   jsonb_build_object(
                       'is_view', bool_or(j.oid = w.oid and j.relkind = 'v'),
                       'is_diverted', bool_or(j.is_diverted),
                       'tables', jsonb_agg(distinct j.oid::text),
                       'obstacle', (array_agg(j.obstacle order by j.oid <> w.oid, j.oid)
                                      filter (where j.obstacle is not null and not j.is_diverted))[1],
                       'place', (array_agg(format('%s.%s', j.nspname, j.relname) order by j.oid <> w.oid, j.oid)
                                   filter (where j.obstacle is not null and not j.is_diverted))[1]) as reach
              from wanted w
              join judged j on j.origin = w.oid and j.heirs = w.heirs
             group by w.schema, w.name, w.heirs) r
$$;
create or replace function usher.is_passing(state text) returns boolean
language sql immutable
as $$ select left(state, 2) in ('08', '25', '40', '53', '55', '57', 'US', 'UA') $$;
create or replace function usher.deferred() returns text
language sql stable
as $$
    select string_agg(distinct quote_ident(n.nspname) || '.' || quote_ident(c.conname), ', ')
      from pg_constraint c
      join pg_namespace n on n.oid = c.connamespace
      join pg_class t on t.oid = c.conrelid
      join pg_roles o on o.oid = t.relowner
     where c.condeferred and n.nspname <> 'usher' and t.relpersistence <> 't'
       and (o.rolsuper or o.rolname = current_user) and has_schema_privilege(n.oid, 'usage')
$$;
create or replace function usher.judged(act jsonb, keys text[], at timestamptz, arguments jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    refusals constant integer := (judged.act ->> 'refusals')::integer;
    found record;
    refused jsonb := '{}';
    warnings jsonb := '[]';
begin
    if judged.act ->> 'judgement' is null then
        return jsonb_build_object('refused', refused, 'warnings', warnings);
    end if;
    for found in
        execute format('select j.* from (%s) j where cardinality(j.held) > 0', judged.act ->> 'judgement') using judged.at, judged.keys, judged.arguments
    loop
        if found.held[1] < refusals then
            refused := refused || jsonb_build_object(
                coalesce(found.key, ''),
                jsonb_build_object('key', found.key, 'remark', found.held[1], 'facts', found.facts));
        else
            select warnings || coalesce(
                       jsonb_agg(jsonb_build_object('key', found.key, 'remark', h.remark, 'facts', found.facts)), '[]')
              into warnings
              from unnest(found.held) as h (remark);
        end if;
    end loop;
    return jsonb_build_object('refused', refused, 'warnings', warnings);
end
$$;
create or replace function usher.standing(app jsonb, users text[], at timestamptz) returns jsonb
language plpgsql volatile
as $$
declare
    decision jsonb;
    answers jsonb := '[]';
    unavailable jsonb := '{}';
    own jsonb;
begin
    if cardinality(standing.users) = 0 then
        return jsonb_build_object('answers', answers, 'unavailable', unavailable);
    end if;
    for decision in select d.of from jsonb_array_elements(standing.app -> 'decisions') as d (of) loop
        begin
            execute format(
                        'select jsonb_agg(jsonb_build_array(d.key, %L, d.per, d.outcome)) from (%s) d (key, per, outcome)',
                        decision ->> 'name', decision ->> 'sql')
               into own
              using standing.at, standing.users, '{}'::jsonb;
            answers := answers || coalesce(own, '[]');
        exception when others then
            if usher.is_passing(sqlstate) then raise; end if;
            unavailable := unavailable || jsonb_build_object(decision ->> 'name', sqlerrm);
        end;
    end loop;
    return jsonb_build_object('answers', answers, 'unavailable', unavailable);
end
$$;
create or replace function usher.impacts(act jsonb, at timestamptz, arguments jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    impact text;
    facts jsonb;
    found jsonb := '[]';
begin
    for impact in select jsonb_array_elements_text(act -> 'impacts') loop
        begin
            facts := null;
            execute impact into facts using impacts.at, '{}'::text[], impacts.arguments;
        exception when others then
            if usher.is_passing(sqlstate) then raise; end if;
        end;
        found := found || jsonb_build_array(facts);
    end loop;
    return found;
end
$$;
create or replace function usher.users(act jsonb, keys text[], at timestamptz, arguments jsonb) returns text[]
language plpgsql volatile
as $$
declare
    owners text[];
begin
    if act ->> 'subject' = 'users' then return users.keys; end if;
    if act ->> 'owners' is null or cardinality(users.keys) = 0 then return '{}'; end if;
    execute format('select coalesce(array_agg(o.key), ''{}'') from (%s) o (key)', act ->> 'owners')
       into owners using users.at, users.keys, users.arguments;
    return owners;
end
$$;
create or replace function usher.unkept(act jsonb, users text[], standing jsonb) returns jsonb
language sql immutable
as $$
    select coalesce(jsonb_agg(u.objection order by u.place), '[]')
      from (select distinct on (w.place) w.place,
                   jsonb_build_object('key', w.key, 'promise', p.place - 1, 'outcome', a.outcome,
                                      'unavailable', standing -> 'unavailable' -> (p.of ->> 'decision'),
                                      'unanswered', a.user is null) as objection
              from unnest(unkept.users) with ordinality as w (key, place)
             cross join jsonb_array_elements(act -> 'expects') with ordinality as p (of, place)
              left join (select x.value ->> 0, x.value ->> 1, x.value ->> 3, x.place
                           from jsonb_array_elements(standing -> 'answers') with ordinality as x (value, place)
                        ) as a ("user", decision, outcome, place)
                on a.user = w.key and a.decision = p.of ->> 'decision'
             where a.user is null or a.outcome is null or not p.of -> 'outcomes' ? a.outcome
             order by w.place, p.place, a.place) u
$$;
create or replace function usher.decided(app jsonb, users text[], before jsonb, after jsonb) returns jsonb
language sql immutable
as $$
    select coalesce(
               jsonb_agg(jsonb_build_object('user', d.user, 'decision', d.decision, 'per', d.per, 'before', d.before, 'after', d.after)
                         order by array_position(decided.users, d.user), d.place, d.per collate "C"), '[]')
      from (select coalesce(b.user, a.user) as "user", coalesce(b.decision, a.decision) as decision,
                   case when coalesce(b.per, a.per) <> '-' then substr(coalesce(b.per, a.per), 2) end as per, b.outcome as before, a.outcome as after,
                   (select n.place from jsonb_array_elements(app -> 'decisions') with ordinality as n (of, place)
                     where n.of ->> 'name' = coalesce(b.decision, a.decision)) as place
              from (select distinct on (1, 2, 3) x.value ->> 0, x.value ->> 1, coalesce('+' || (x.value ->> 2), '-'), x.value ->> 3
                      from jsonb_array_elements(decided.before -> 'answers') x order by 1, 2, 3) as b ("user", decision, per, outcome)
              full join
                   (select distinct on (1, 2, 3) x.value ->> 0, x.value ->> 1, coalesce('+' || (x.value ->> 2), '-'), x.value ->> 3
                      from jsonb_array_elements(decided.after -> 'answers') x order by 1, 2, 3) as a ("user", decision, per, outcome)
                on a.user = b.user and a.decision = b.decision and a.per = b.per) d
$$;
create or replace function usher.fingerprint(report jsonb, salt text) returns text
language sql immutable
as $$
    select salt || ':' || encode(sha256(convert_to(jsonb_build_array(salt, c.changes, report -> 'decisions', o.refused, w.warnings)::text, 'UTF8')), 'hex')
      from (select jsonb_agg(c.matter order by c.matter::text) as changes
              from (select case x.value ->> 'kind'
                           when 'insert' then jsonb_build_array('+', x.value -> 'table')
                           when 'delete' then jsonb_build_array('-', x.value -> 'table', x.value -> 'key')
                           else jsonb_build_array(
                               '~', x.value -> 'table', x.value -> 'key',
                               (select jsonb_agg(jsonb_build_array(n.value -> 0, n.value -> 2))
                                  from jsonb_array_elements(x.value -> 'columns') n
                                 where not x.value -> 'rewritten' ? (n.value ->> 0)), x.value -> 'secrets') end as matter
                      from jsonb_array_elements(report -> 'changes') x) c) c,
           (select jsonb_agg(jsonb_build_array(r.value -> 'key', r.value -> 'remark', r.value -> 'promise')) as refused
              from jsonb_array_elements(report -> 'refused') r) o,
           (select jsonb_agg(jsonb_build_array(w.value -> 'key', w.value -> 'remark')) as warnings
              from jsonb_array_elements(report -> 'warnings') w) w
$$;
create or replace function usher.refuse_remade() returns void
language plpgsql volatile
as $$
declare
    names text;
begin
    select string_agg(r.name, ', ') into names
      from (select n.nspname || '.' || c.relname as name
              from pg_class c
              join pg_namespace n on n.oid = c.relnamespace
             cross join (select pg_current_xact_id()::xid as x, pg_current_xact_id()::text::numeric as n) own
             where c.relkind in ('r', 'p') and c.relpersistence <> 't'
               and age(c.xmin) <= age(own.x)
               and pg_xact_status((own.n + age(own.x) - age(c.xmin))::text::xid8) = 'in progress'
             order by 1
             limit 10) r;
    raise exception 'this % as a whole, which can neither be shown row by row nor undone',
          coalesce('empties or alters ' || names, 'drops a table')
          using errcode = 'US003', hint = 'TRUNCATE is not counted; a DELETE is';
end
$$;
create or replace function usher.refuse_obstacle(obstacle text, place text) returns void
language plpgsql stable
as $$
begin
    if obstacle = 'foreign' then
        raise exception '% is a foreign table: this server neither counts its rows nor knows what they were; nothing was changed', place
              using errcode = 'US003', hint = 'change it on the server that holds its rows';
    elsif obstacle = 'distributed' then
        raise exception '% is distributed over several servers, which do not count here what they change; nothing was changed', place
              using errcode = 'US003', hint = 'change it by a statement of your own; usher could neither show nor undo it';
    elsif obstacle = 'ledger' then
        raise exception '% is the record of what was done, which no app may write; nothing was changed', place using errcode = 'US003';
    end if;
end
$$;
create or replace function usher.refuse_uncounted(relations jsonb, told jsonb, counts jsonb) returns void
language plpgsql stable
as $$
declare
    relation record;
    rows bigint;
    counted bigint;
begin
    for relation in
        select t.key as name, r.reach -> 'tables' as tables
          from jsonb_each(refuse_uncounted.told) t, lateral (select refuse_uncounted.relations -> t.key as reach) r
         where r.reach is not null and not (r.reach ->> 'is_diverted')::boolean
         order by 1
    loop
        select coalesce(sum((t.value #>> '{}')::bigint), 0) into rows
          from jsonb_each(refuse_uncounted.told) t, lateral (select refuse_uncounted.relations -> t.key as reach) r
         where not (r.reach ->> 'is_diverted')::boolean and r.reach -> 'tables' <@ relation.tables;
        select coalesce(sum((n.value #>> '{}')::bigint), 0) into counted
          from jsonb_array_elements_text(relation.tables) t (oid),
               jsonb_array_elements(refuse_uncounted.counts -> t.oid) n;
        if counted < rows then
            raise exception 'this server does not count what it changes in % (% written, % counted); nothing was changed',
                  trim(trailing ' *' from relation.name), rows, counted
                  using errcode = 'US003',
                        hint = 'what is not counted can be neither shown nor undone; change it where its rows lie';
        end if;
    end loop;
end
$$;
create or replace function usher.refuse_hidden(targets jsonb) returns void
language plpgsql stable
as $$
declare
    names text;
begin
    select string_agg(distinct n.nspname || '.' || c.relname, ', ') into names
      from jsonb_to_recordset(refuse_hidden.targets) as w (schema text, name text, assigned jsonb)
      join pg_namespace n on n.nspname = w.schema
      join pg_class c on c.relnamespace = n.oid and c.relname = w.name
     where w.assigned <> '[]' and row_security_active(c.oid)
       and (not exists (select from pg_policy p
                         where p.polrelid = c.oid and p.polpermissive and p.polcmd in ('w', '*')
                           and pg_get_expr(p.polqual, p.polrelid) = 'true'
                           and (0 = any (p.polroles)
                                or exists (select from unnest(p.polroles) role where pg_has_role(role, 'usage'))))
            or exists (select from pg_policy p
                        where p.polrelid = c.oid and not p.polpermissive and p.polcmd in ('w', 'd', '*')
                          and (0 = any (p.polroles)
                               or exists (select from unnest(p.polroles) role where pg_has_role(role, 'usage')))));
    if names is not null then
        raise exception 'hidden by row security: % may not change every row of %', current_user, names
              using errcode = 'US005',
                    hint = 'the owner of the schema usher needs BYPASSRLS, or the policies that `usher roles sql` prints';
    end if;
end
$$;
create or replace function usher.refuse_found(questions jsonb, complaint text) returns void
language plpgsql volatile
as $$
declare
    question text;
    own jsonb;
    found jsonb := '[]';
begin
    for question in select jsonb_array_elements_text(coalesce(questions, '[]')) loop
        execute format('select jsonb_agg(q.key || '' '' || q.sentence) from (%s) q (key, sentence)', question) into own;
        found := found || coalesce(own, '[]');
    end loop;
    if found <> '[]' then
        raise exception '%; nothing was changed', complaint using errcode = 'US003', detail = (select string_agg(f, E'\n') from jsonb_array_elements_text(found) f);
    end if;
end
$$;
create or replace function usher.refuse_strays(confines jsonb, changes jsonb) returns void
language plpgsql volatile
as $$
declare
    question text;
    own jsonb;
    known jsonb := '[]';
    strays text;
begin
    if coalesce(confines, '[]') = '[]' then return; end if;
    for question in select jsonb_array_elements_text(confines) loop
        execute format('select jsonb_agg(jsonb_build_array(q.relation, q.key)) from (%s) q (relation, key)', question) into own;
        known := known || coalesce(own, '[]');
    end loop;
    select string_agg(s.line, E'\n') into strays
      from (select format('%s %s would be %sd', c.value ->> 'table', c.value ->> 'key', c.value ->> 'kind') as line
              from jsonb_array_elements(refuse_strays.changes) c
             where c.value ->> 'kind' <> 'insert'
               and not exists (select from jsonb_array_elements(known) k
                                where k.value -> 0 = c.value -> 'table' and k.value -> 1 = c.value -> 'key')
             limit 10) s;
    if strays is not null then
        raise exception 'others refer to what it would remove; nothing was changed' using errcode = 'US003', detail = strays;
    end if;
end
$$;
create or replace function usher.step(
    statement text, tells boolean, path text, at timestamptz, keys text[], arguments jsonb, summary text,
    out tables text[], out places text[], out written bigint
)
language plpgsql volatile
as $$
declare
    place record;
    complaint text;
    detail text;
    hint text;
    schema text;
    relation text;
begin
    tables := '{}';
    places := '{}';
    perform pg_catalog.set_config(
        'search_path', pg_catalog.concat_ws(', ', nullif(pg_catalog.btrim(step.path), ''), 'pg_temp'), true);
    if tells then
        for place in execute step.statement using step.at, step.keys, step.arguments loop
            tables := pg_catalog.array_append(tables, place.tableoid);
            places := pg_catalog.array_append(places, place.ctid);
        end loop;
        written := pg_catalog.cardinality(places);
    else
        execute step.statement using step.at, step.keys, step.arguments;
        get diagnostics written = row_count;
    end if;
    perform pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
exception when others then
    if usher.is_passing(sqlstate) then raise; end if;
    get stacked diagnostics complaint = message_text, detail = pg_exception_detail, hint = pg_exception_hint,
        schema = schema_name, relation = table_name;
    raise sqlstate 'UA005' using message = jsonb_build_object(
        'state', sqlstate, 'message', complaint, 'detail', nullif(detail, ''), 'hint', nullif(hint, ''),
        'table', case when relation <> '' then schema || '.' || relation end, 'step', step.summary)::text;
end
$$;
create or replace function usher.steps(
    app jsonb, act jsonb, relations jsonb, deferred text, keys text[], at timestamptz, arguments jsonb,
    inout tables text[], inout places text[], inout told jsonb
)
language plpgsql volatile
as $$
declare
    step jsonb;
    target jsonb;
    name text;
    own record;
begin
    for step in select s.of from jsonb_array_elements(steps.act -> 'steps') with ordinality as s (of, place) order by s.place loop
        target := step -> 'targets' -> (step ->> 'counted')::integer;
        name := usher.relation_name(target);
        select r.* into own
          from usher.step(
                   case when step ->> 'returning' is null or (relations -> name ->> 'is_view')::boolean then step ->> 'sql'
                        else (step ->> 'sql') || E'\n' || (step ->> 'returning') end,
                   step ->> 'returning' is not null and not coalesce((relations -> name ->> 'is_view')::boolean, false),
                   app ->> 'path', steps.at, steps.keys, steps.arguments, step ->> 'summary') r;
        tables := tables || own.tables;
        places := places || own.places;
        if target is not null then
            told := told || jsonb_build_object(name, coalesce((told ->> name)::bigint, 0) + own.written);
        end if;
    end loop;
    if deferred is not null then
        perform usher.step('set constraints ' || deferred || ' immediate', false, app ->> 'path', null, null, null, null);
        -- One by one, what is deferred has its say about each, and is deferred again for the next.
        if act ->> 'each' is not null then execute 'set constraints ' || deferred || ' deferred'; end if;
    end if;
end
$$;
create or replace function usher.pass(
    app jsonb, act jsonb, relations jsonb, keys text[], at timestamptz, arguments jsonb
) returns jsonb
language plpgsql volatile
as $$
declare
    before constant jsonb := usher.counters();
    deferred constant text := usher.deferred();
    counters jsonb;
    objections jsonb := '[]';
    warnings jsonb := '[]';
    done record;
    unit text;
    judgement jsonb;
begin
    select '{}'::text[] as tables, '{}'::text[] as places, '{}'::jsonb as told into done;
    if act ->> 'each' is null then
        select s.* into done
          from usher.steps(app, act, relations, deferred, pass.keys, at, arguments, done.tables, done.places, done.told) s;
    else
        for unit in execute act ->> 'each' using at, pass.keys, arguments loop
            begin
                judgement := usher.judged(act, array[unit], at, arguments);
                if judgement -> 'refused' = '{}' then
                    select s.* into done
                      from usher.steps(app, act, relations, deferred, array[unit], at, arguments, done.tables, done.places, done.told) s;
                    warnings := warnings || (judgement -> 'warnings');
                else
                    objections := objections || (judgement -> 'refused' -> unit);
                end if;
            exception when sqlstate 'UA005' then
                objections := objections || jsonb_build_object('key', unit, 'error', sqlerrm::jsonb);
            end;
        end loop;
    end if;
    counters := usher.counters();
    if counters -> 'tables' <> before -> 'tables' then perform usher.refuse_remade(); end if;
    return jsonb_build_object(
        'elsewhere', counters -> 'elsewhere',
        'objections', objections, 'warnings', warnings, 'told', done.told,
        'places', (select coalesce(jsonb_object_agg(p.relation, p.places), '{}')
                     from (select w.relation, jsonb_agg(w.place) as places
                             from unnest(done.tables, done.places) as w (relation, place)
                            group by 1) p),
        'counts', (select coalesce(jsonb_object_agg(d.relation, d.counts) filter (where d.counts <> '[0, 0, 0]'), '{}')
                     from (select n.key as relation,
                                  (select jsonb_agg((x.value #>> '{}')::bigint - coalesce((b.value #>> '{}')::bigint, 0) order by x.place)
                                     from jsonb_array_elements(n.value) with ordinality as x (value, place)
                                     left join jsonb_array_elements(before -> 'counts' -> n.key) with ordinality as b (value, place)
                                       on b.place = x.place) as counts
                             from jsonb_each(counters -> 'counts') n) d));
end
$$;
create or replace function usher.shapes(app jsonb, pass jsonb) returns jsonb
language plpgsql stable
as $$
declare
    secrets constant text[] := array(select jsonb_array_elements_text(app -> 'secrets'));
    shapes jsonb;
    secret record;
begin
    select coalesce(jsonb_object_agg(s.shape ->> 'oid', s.shape), '{}') into shapes
      from jsonb_object_keys(pass -> 'counts') k (oid), lateral (select usher.shape(k.oid::oid, secrets) as shape offset 0) s
     where not (s.shape ->> 'temporary')::boolean;
    for secret in
        select s.value ->> 'name' as relation, c.value ->> 'name' as name
          from jsonb_each(shapes) s, jsonb_array_elements(s.value -> 'columns') c
         where (c.value ->> 'in_key')::boolean and (c.value ->> 'secret')::boolean
    loop
        raise exception 'this changes rows of %, which % tells apart, and that is never recorded', secret.relation, secret.name
              using errcode = 'US003';
    end loop;
    return shapes;
end
$$;
create or replace function usher.tells_all(pass jsonb, relation text) returns boolean
language sql immutable
as $$
    select coalesce(jsonb_array_length(pass -> 'places' -> relation), -1)
         = (select sum((n.value #>> '{}')::bigint) from jsonb_array_elements(pass -> 'counts' -> relation) n)
$$;
create or replace function usher.distinct_keys(one jsonb, other jsonb) returns jsonb
language sql immutable
as $$ select coalesce(jsonb_agg(distinct k.value), '[]') from jsonb_array_elements(one || other) k $$;
create or replace function usher.row_keys(shape jsonb, which text, places jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    key constant text := (select string_agg(format('t.%s::text', c.of ->> 'sql'), ', ')
                            from jsonb_array_elements(shape -> 'columns') c (of) where (c.of ->> 'in_key')::boolean);
    keys jsonb;
begin
    execute format(
        'select coalesce(jsonb_agg(distinct jsonb_build_array(%s)), ''[]'')
           from %s t, (select pg_current_xact_id()::xid as x, pg_current_xact_id()::text::numeric as n) own
          where %s', key, shape ->> 'sql', case row_keys.which
        when 'places' then 't.ctid = any (array(select p.place::tid from jsonb_array_elements_text($1) p (place)))'
        when 'written' then '$1 is null and age(t.xmin) <= age(own.x)
                             and pg_xact_status((own.n + age(own.x) - age(t.xmin))::text::xid8) = ''in progress'''
        else '$1 is null and t.xmax <> ''0''::xid and age(t.xmax) <= age(own.x)
              and pg_xact_status((own.n + age(own.x) - age(t.xmax))::text::xid8) = ''aborted''' end)
       into keys
      using case when row_keys.which = 'places' then row_keys.places end;
    return keys;
end
$$;
create or replace function usher.written_keys(shapes jsonb, pass jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    keys jsonb := '{}';
    shape record;
begin
    for shape in select s.key as oid, s.value as of from jsonb_each(shapes) s where usher.has_key(s.value) loop
        keys := keys || jsonb_build_object(shape.oid, usher.row_keys(
            shape.of, case when usher.tells_all(pass, shape.oid) then 'places' else 'written' end, pass -> 'places' -> shape.oid));
    end loop;
    return keys;
end
$$;
create or replace function usher.images(shape jsonb, keys jsonb, salt text) returns jsonb
language plpgsql volatile
as $$
declare
    found jsonb;
begin
    execute format(
        'select coalesce(jsonb_agg(jsonb_build_object(''k'', r.k, ''i'', r.i)), ''[]'')
           from (select %s as k, %s as i from %s t join jsonb_array_elements($1) e on %s order by 1 for no key update of t) r',
        usher.key_texts(shape), usher.image(shape, salt), shape ->> 'sql', usher.key_join(shape))
       into found using images.keys;
    return found;
end
$$;
create or replace function usher.differences(
    shape jsonb, images jsonb, keys jsonb, assigned jsonb, are_replaced boolean, salt text
) returns jsonb
language plpgsql volatile
as $$
declare
    written text[];
    found jsonb;
begin
    -- The columns whose change is the doing of the statements: all but those that Postgres generates, and where triggers write
    -- too, only those that are assigned.
    if differences.assigned is not null then
        select coalesce(array_agg(c.of ->> 'name'), '{}') into written
          from jsonb_array_elements(shape -> 'columns') c (of)
         where not (c.of ->> 'generated')::boolean
           and (not (shape ->> 'triggered')::boolean or differences.assigned ? (c.of ->> 'name'));
    end if;
    execute format(
        $query$
        with b as (select e.value -> 'k' as k, e.value -> 'i' as image from jsonb_array_elements($1) e),
             a as (select %s as k, %s as image from %s t join jsonb_array_elements($2) e on %s),
             c as (select c.of ->> 'name' as name, c.place, (c.of ->> 'secret')::boolean as is_secret,
                          c.of -> 'type_oid' as type, (c.of ->> 'in_key')::boolean as in_key
                     from jsonb_array_elements($3 -> 'columns') with ordinality as c (of, place))
        select jsonb_agg(
                   jsonb_build_object(
                       'kind', case when p.b is null then 'insert' when p.a is null then 'delete' else 'update' end,
                       'table', $3 ->> 'name', 'key', key.object, 'before', diff.before, 'after', diff.after,
                       'columns', diff.columns, 'rewritten', diff.rewritten, 'secrets', diff.secrets)
                   order by array(select jsonb_array_elements_text(k)),
                            case when p.b is null then 'insert' when p.a is null then 'delete' else 'update' end)
          from b full join a using (k)
         cross join lateral (
               select b.image, a.image where not ($5 and a.image is not null and b.image is not null)
                union all select b.image, null where $5 and a.image is not null and b.image is not null
                union all select null, a.image where $5 and a.image is not null and b.image is not null) p (b, a)
         cross join lateral (select jsonb_object_agg(c.name, coalesce(a.image, b.image) -> c.name) as object
                               from c where c.in_key) key
         cross join lateral (
               select case when p.b is not null
                           then coalesce(jsonb_object_agg(c.name, e.before) filter (where not c.is_secret), '{}') end as before,
                      case when p.a is not null
                           then coalesce(jsonb_object_agg(c.name, e.after) filter (where not c.is_secret), '{}') end as after,
                      coalesce(jsonb_agg(jsonb_build_array(c.name, c.type, e.before #>> '{}', e.after #>> '{}') order by c.place)
                                 filter (where not c.is_secret), '[]') as columns,
                      coalesce(jsonb_agg(c.name order by c.place)
                                 filter (where p.b is not null and p.a is not null and c.name <> all ($4)), '[]') as rewritten,
                      coalesce(jsonb_agg(c.name order by c.place) filter (where c.is_secret), '[]') as secrets
                 from (select coalesce(x.key, y.key) as name, x.value as before, y.value as after
                         from jsonb_each(p.b) x full join jsonb_each(p.a) y on x.key = y.key) e
                 join c on c.name = e.name
                where p.a is null or p.b is null or e.before::text is distinct from e.after::text) diff
         where a.image::text is distinct from b.image::text
        $query$,
        usher.key_texts(shape), usher.image(shape, salt), shape ->> 'sql', usher.key_join(shape))
       into found
      using differences.images, differences.keys, shape, written, differences.are_replaced;
    return coalesce(found, '[]');
end
$$;
create or replace function usher.new_rows(shape jsonb, places jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    found jsonb;
begin
    execute format(
        $query$
        select jsonb_agg(jsonb_build_object(
                   'kind', 'insert', 'table', $2 ->> 'name', 'key', '{}'::jsonb, 'before', null, 'after', i.image,
                   'columns', (select jsonb_agg(jsonb_build_array(c.of ->> 'name', c.of -> 'type_oid', null, i.image ->> (c.of ->> 'name'))
                                                order by c.place)
                                 from jsonb_array_elements($2 -> 'columns') with ordinality as c (of, place)
                                where not (c.of ->> 'secret')::boolean),
                   'rewritten', '[]'::jsonb, 'secrets', '[]'::jsonb))
          from %s t
         cross join (select pg_current_xact_id()::xid as x, pg_current_xact_id()::text::numeric as n) own
         cross join lateral (select %s as image) i
         where %s
        $query$,
        shape ->> 'sql', usher.image(shape), case when places is null
            then '$1 is null and age(t.xmin) <= age(own.x)
                  and pg_xact_status((own.n + age(own.x) - age(t.xmin))::text::xid8) = ''in progress'''
            else 't.ctid = any (array(select p.place::tid from jsonb_array_elements_text($1) p (place)))' end)
       into found
      using new_rows.places, shape;
    return coalesce(found, '[]');
end
$$;
create or replace function usher.account_for(shape jsonb, changes jsonb, counts jsonb, touched integer) returns void
language plpgsql stable
as $$
declare
    inserted constant bigint := (select count(*) from jsonb_array_elements(changes) c where c.value ->> 'kind' = 'insert');
    deleted constant bigint := (select count(*) from jsonb_array_elements(changes) c where c.value ->> 'kind' = 'delete');
begin
    if inserted - deleted = (counts ->> 0)::bigint - (counts ->> 2)::bigint and (counts ->> 1 = '0' or touched > 0) then
        return;
    end if;
    raise exception 'not every change of % can be accounted for', shape ->> 'name'
          using errcode = 'US003',
                hint = format('the server counted %s inserted, %s updated and %s deleted rows; %s new and %s missing ones were found',
                              counts ->> 0, counts ->> 1, counts ->> 2, inserted, deleted);
end
$$;
create or replace function usher.changes(
    app jsonb, act jsonb, relations jsonb, keys text[], at timestamptz, arguments jsonb
) returns jsonb
language plpgsql volatile
as $$
declare
    -- Tells whether a secret changed, and means nothing to the next one who asks.
    salt constant text := gen_random_uuid()::text;
    learned jsonb;
    done jsonb;
    shapes jsonb;
    known jsonb;
    images jsonb := '{}';
    found jsonb := '[]';
    assigned jsonb;
    own jsonb;
    entry record;
begin
    begin
        learned := usher.pass(app, act, relations, changes.keys, at, arguments);
        shapes := usher.shapes(app, learned);
        known := usher.written_keys(shapes, learned);
        raise sqlstate 'UA001';
    exception when sqlstate 'UA001' then null;
    end;
    perform usher.refuse_uncounted(relations, learned -> 'told', learned -> 'counts');
    if learned ->> 'elsewhere' is not null then perform usher.refuse_obstacle('foreign', learned -> 'elsewhere' ->> 0); end if;
    -- What the server or a rule says against single subjects leaves its trace in the counters: without them, all there is can
    -- be accounted for.
    if jsonb_path_exists(learned -> 'objections', '$[*].error') then return learned; end if;
    for entry in
        select c.key as oid, c.value as counts, s.value as shape
          from jsonb_each(learned -> 'counts') c join jsonb_each(shapes) s on s.key = c.key
         where usher.has_key(s.value)
    loop
        own := coalesce(known -> entry.oid, '[]');
        if (entry.counts ->> 2)::bigint > 0 then
            own := usher.distinct_keys(own, usher.row_keys(
                entry.shape, case when usher.tells_all(learned, entry.oid) then 'places' else 'rolled back' end,
                learned -> 'places' -> entry.oid));
        end if;
        if own = '[]' then continue; end if;
        images := images || jsonb_build_object(entry.oid, usher.images(entry.shape, own, salt));
        -- A row that was not there before may be one whose key was written over.
        if (entry.counts ->> 1)::bigint > 0 and jsonb_array_length(images -> entry.oid) < jsonb_array_length(own) then
            own := usher.distinct_keys(own, usher.row_keys(entry.shape, 'rolled back', null));
            images := images || jsonb_build_object(entry.oid, usher.images(entry.shape, own, salt));
        end if;
    end loop;

    done := usher.pass(app, act, relations, changes.keys, at, arguments);
    perform usher.refuse_uncounted(relations, done -> 'told', done -> 'counts');
    if done ->> 'elsewhere' is not null then perform usher.refuse_obstacle('foreign', done -> 'elsewhere' ->> 0); end if;
    -- Temporary tables may be made anew each time, and concern nobody.
    if exists (select from jsonb_each(shapes) s where not done -> 'counts' ? s.key)
       or exists (select from jsonb_object_keys(done -> 'counts') k (oid) join pg_class c on c.oid = k.oid::oid
                   where c.relpersistence <> 't' and not shapes ? k.oid) then
        raise exception 'the statements touch other tables each time they run' using errcode = 'US001';
    end if;
    known := usher.written_keys(shapes, done);
    for entry in
        select c.key as oid, c.value as counts, s.value as shape
          from jsonb_each(done -> 'counts') c join jsonb_each(shapes) s on s.key = c.key
         order by s.value ->> 'name'
    loop
        if not usher.has_key(entry.shape) then
            -- Rows without a key can be told apart only when they are new.
            if entry.counts ->> 1 <> '0' or entry.counts ->> 2 <> '0' then
                raise exception 'this changes rows of %, which has no key to tell them apart', entry.shape ->> 'name'
                      using errcode = 'US003',
                            hint = 'give the table a primary key; without one no change of it can be shown or undone';
            end if;
            own := usher.new_rows(
                entry.shape, case when usher.tells_all(done, entry.oid) then done -> 'places' -> entry.oid end);
            perform usher.account_for(entry.shape, own, entry.counts, jsonb_array_length(own));
        else
            select jsonb_agg(distinct a.value) into assigned
              from jsonb_array_elements(act -> 'steps') s,
                   jsonb_array_elements(s.value -> 'targets') t,
                   jsonb_array_elements(case jsonb_typeof(t.value -> 'assigned') when 'array' then t.value -> 'assigned' else '[]' end) a
             where entry.shape -> 'ancestors' ? ((t.value ->> 'schema') || '.' || (t.value ->> 'name'));
            if assigned is null and exists (
                select from jsonb_array_elements(act -> 'steps') s, jsonb_array_elements(s.value -> 'targets') t
                 where entry.shape -> 'ancestors' ? ((t.value ->> 'schema') || '.' || (t.value ->> 'name'))) then
                assigned := '[]';
            end if;
            -- What is written into a row that takes another one's place is no doing of the triggers on updates.
            if (entry.counts ->> 0)::bigint > 0 and (entry.counts ->> 2)::bigint > 0 then assigned := null; end if;
            own := (select coalesce(jsonb_agg(i.value -> 'k'), '[]') from jsonb_array_elements(images -> entry.oid) i);
            known := known || jsonb_build_object(
                entry.oid, usher.distinct_keys(own, coalesce(known -> entry.oid, '[]')));
            own := usher.differences(
                entry.shape, coalesce(images -> entry.oid, '[]'), known -> entry.oid, assigned,
                (entry.counts ->> 0)::bigint > 0 and (entry.counts ->> 2)::bigint > 0 and entry.counts ->> 1 = '0', salt);
            perform usher.account_for(entry.shape, own, entry.counts, jsonb_array_length(known -> entry.oid));
        end if;
        found := found || own;
    end loop;
    return done || jsonb_build_object('changes', found);
end
$$;
create or replace function usher.objectors(
    app jsonb, act jsonb, relations jsonb, deferred text, keys text[], at timestamptz, arguments jsonb
) returns jsonb
language plpgsql volatile
as $$
declare
    middle constant integer := cardinality(objectors.keys) / 2;
begin
    begin
        perform usher.steps(app, act, relations, deferred, objectors.keys, at, arguments, '{}', '{}', '{}');
        raise sqlstate 'UA001';
    exception
        when sqlstate 'UA001' then return '[]';
        when sqlstate 'UA005' then
            if cardinality(objectors.keys) = 1 then
                return jsonb_build_array(jsonb_build_object('key', objectors.keys[1], 'error', sqlerrm::jsonb));
            end if;
    end;
    return usher.objectors(app, act, relations, deferred, objectors.keys[:middle], at, arguments)
           || usher.objectors(app, act, relations, deferred, objectors.keys[middle + 1:], at, arguments);
end
$$;
create or replace function usher.own_settings(names jsonb) returns void
language plpgsql volatile
as $$
begin
    perform set_config(n.name, coalesce(o.value, ''), true)
       from jsonb_array_elements_text(coalesce(own_settings.names, '[]')) as n (name)
       left join lateral (
            select substr(s.pair, strpos(s.pair, '=') + 1) as value
              from pg_db_role_setting d
             cross join lateral unnest(d.setconfig) as s (pair)
             where d.setdatabase in (0, (select b.oid from pg_database b where b.datname = current_database()))
               and d.setrole in (0, (select r.oid from pg_roles r where r.rolname = current_user))
               and lower(split_part(s.pair, '=', 1)) = n.name
             order by d.setrole <> 0 desc, d.setdatabase <> 0 desc
             limit 1) o on true;
end
$$;
create or replace function usher.perform(
    app jsonb, act jsonb, keys text[], at timestamptz, arguments jsonb, terms jsonb
) returns jsonb
language plpgsql volatile
as $$
declare
    targets constant jsonb := (select coalesce(jsonb_agg(distinct t.value), '[]')
                                 from jsonb_array_elements(act -> 'steps') s, jsonb_array_elements(s.value -> 'targets') t);
    relations constant jsonb := usher.written(targets);
    judgement jsonb;
    objections jsonb := '[]';
    refused jsonb;
    subjects text[];
    users text[];
    before jsonb;
    after jsonb;
    impacts jsonb;
    done jsonb;
    unkept jsonb;
    report jsonb;
    complaint text;
begin
    perform usher.own_settings(app -> 'settings');
    perform usher.refuse_obstacle(r.value ->> 'obstacle', r.value ->> 'place') from jsonb_each(relations) r order by r.key;
    perform usher.refuse_hidden(targets);
    judgement := case when act ->> 'each' is null then usher.judged(act, perform.keys, at, arguments)
                      else '{"refused": {}, "warnings": []}' end;
    loop
        refused := (select coalesce(jsonb_agg(r.remark), '[]')
                      from (select judgement -> 'refused' -> '' as remark where judgement -> 'refused' ? ''
                            union all
                            select coalesce(o.value, judgement -> 'refused' -> k.key)
                              from unnest(perform.keys) with ordinality as k (key, place)
                              left join jsonb_array_elements(objections) o on o.value ->> 'key' = k.key
                             where o.value is not null or judgement -> 'refused' ? k.key) r);
        subjects := array(select k.key
                            from unnest(perform.keys) with ordinality as k (key, place)
                           where not exists (select from jsonb_array_elements(refused) r where r.value ->> 'key' = k.key)
                           order by k.place);
        if cardinality(subjects) = 0 and (act ->> 'subject' <> 'nothing' or refused <> '[]') then
            return jsonb_build_object('outcome', 'refused', 'subjects', '[]'::jsonb, 'changes', '[]'::jsonb,
                                      'decisions', '[]'::jsonb, 'warnings', '[]'::jsonb, 'refused', refused, 'impacts', '[]'::jsonb);
        end if;
        begin
            users := usher.users(act, subjects, at, arguments);
            before := usher.standing(app, users, at);
            impacts := usher.impacts(act, at, arguments);
            perform usher.refuse_found(act -> 'obstacles', 'what it changed has changed since');
            begin
                done := usher.changes(app, act, relations, subjects, at, arguments);
            exception when sqlstate 'UA005' then
                -- Which of them the server objects to is found out without them.
                if act ->> 'each' is not null or act ->> 'undoes' is not null or cardinality(subjects) < 2 then raise; end if;
                complaint := sqlerrm;
                done := jsonb_build_object('objections', usher.objectors(app, act, relations, usher.deferred(), subjects, at, arguments));
                if done -> 'objections' = '[]'
                   or jsonb_array_length(done -> 'objections') = cardinality(subjects) and not coalesce((terms ->> 'tolerant')::boolean, false) then
                    raise sqlstate 'UA005' using message = complaint;
                end if;
            end;
            if not done ? 'changes' then
                objections := objections || (select jsonb_agg(o.value) from jsonb_array_elements(done -> 'objections') o where o.value ? 'error');
                raise sqlstate 'UA003';
            end if;
            -- One by one, some were refused on the way.
            refused := refused || (done -> 'objections');
            subjects := array(select s.key from unnest(subjects) with ordinality as s (key, place)
                               where not exists (select from jsonb_array_elements(done -> 'objections') o where o.value ->> 'key' = s.key)
                               order by s.place);
            if cardinality(subjects) = 0 and act ->> 'subject' <> 'nothing' then
                report := jsonb_build_object('outcome', 'refused', 'subjects', '[]'::jsonb, 'changes', '[]'::jsonb,
                                             'decisions', '[]'::jsonb, 'warnings', '[]'::jsonb, 'refused', refused, 'impacts', '[]'::jsonb);
                raise sqlstate 'UA004';
            end if;
            perform usher.refuse_found(act -> 'verifications', 'it cannot be restored');
            perform usher.refuse_strays(act -> 'confines', done -> 'changes');
            after := usher.standing(app, users, at);
            unkept := usher.unkept(act, case when done -> 'objections' = '[]' then users
                                             else usher.users(act, subjects, at, arguments) end, after);
            if unkept <> '[]' then
                if act ->> 'subject' = 'users' and jsonb_array_length(unkept) < cardinality(subjects) then
                    objections := objections || unkept;
                    raise sqlstate 'UA003';
                end if;
                report := jsonb_build_object('outcome', 'refused', 'subjects', '[]'::jsonb, 'changes', '[]'::jsonb,
                                             'decisions', '[]'::jsonb, 'warnings', '[]'::jsonb, 'refused', unkept, 'impacts', '[]'::jsonb);
                raise sqlstate 'UA004';
            end if;
            report := jsonb_build_object(
                'outcome', 'done', 'subjects', to_jsonb(subjects), 'changes', done -> 'changes',
                'decisions', usher.decided(app, users, before, after),
                'warnings', (judgement -> 'warnings') || (done -> 'warnings'),
                'refused', (select coalesce(jsonb_agg(r.value order by array_position(perform.keys, r.value ->> 'key') nulls first), '[]')
                              from jsonb_array_elements(refused) r),
                'impacts', (select coalesce(jsonb_agg(jsonb_build_array(b.value, a.value) order by b.place), '[]')
                              from jsonb_array_elements(impacts) with ordinality as b (value, place)
                              join jsonb_array_elements(usher.impacts(act, at, arguments)) with ordinality as a (value, place)
                                on a.place = b.place));
            report := report || jsonb_build_object('fingerprint', usher.fingerprint(
                report, coalesce(split_part(terms ->> 'plan', ':', 1), gen_random_uuid()::text)));
            if terms ->> 'plan' <> report ->> 'fingerprint' then
                report := report || '{"outcome": "changed"}';
            elsif (terms ->> 'dry')::boolean then
                report := report || '{"outcome": "planned"}';
            elsif report -> 'changes' = '[]' then
                report := report || '{"outcome": "nothing"}';
            elsif jsonb_array_length(report -> 'changes') > (act ->> 'ceiling')::bigint
                  and not coalesce((terms ->> 'confirmed')::boolean, false) then
                raise exception 'this changes % rows, more than %; it has to be confirmed as severe',
                      jsonb_array_length(report -> 'changes'), act ->> 'ceiling' using errcode = 'US009';
            else
                return report;
            end if;
            raise sqlstate 'UA004';
        exception
            when sqlstate 'UA003' then null;
            when sqlstate 'UA004' then return report;
            when sqlstate 'UA005' then
                return jsonb_build_object('outcome', 'failed', 'error', sqlerrm::jsonb);
        end;
    end loop;
end
$$;
create or replace function usher.refuse_late() returns void
language plpgsql volatile
as $$
declare
    prompt text;
begin
    if current_setting('transaction_isolation') <> 'repeatable read' then
        raise exception 'an act needs a transaction at REPEATABLE READ' using errcode = 'invalid_transaction_state';
    end if;
    if pg_current_xact_id_if_assigned() is not null then
        raise exception 'an act is the first thing that its transaction writes' using errcode = 'invalid_transaction_state';
    end if;
    if clock_timestamp() - transaction_timestamp() > interval '1 minute' then
        raise exception 'this transaction began too long ago for an act' using errcode = 'invalid_transaction_state';
    end if;
    select string_agg(distinct quote_ident(n.nspname) || '.' || quote_ident(c.conname), ', ') into prompt
      from pg_constraint c
      join pg_namespace n on n.oid = c.connamespace
      join pg_class t on t.oid = c.conrelid
     where c.condeferrable and not c.condeferred and n.nspname <> 'usher' and t.relpersistence <> 't'
       and has_schema_privilege(n.oid, 'usage');
    if prompt is not null then execute 'set constraints ' || prompt || ' immediate'; end if;
end
$$;
create or replace function usher.refuse_forbidden(role text, command text) returns void
language plpgsql stable
as $$
begin
    if exists (select from pg_roles s where s.rolname = session_user and s.rolsuper)
       or pg_has_role(session_user, current_user, 'usage')
       or exists (select from pg_roles r
                   where r.rolname = refuse_forbidden.role and pg_has_role(session_user, r.oid, 'usage')) then
        return;
    end if;
    raise exception '`%` needs the role %, which % has not', command, refuse_forbidden.role, session_user
          using errcode = 'US005', hint = format('whoever may grant roles can grant it: grant %I to %I', refuse_forbidden.role, session_user);
end
$$;
create or replace function usher.environment_for(kind text, reason text, is_dry boolean) returns text
language plpgsql stable
as $$
declare
    environment constant text := usher.environment_name();
begin
    if environment = 'production' and environment_for.kind = 'state' then
        raise exception 'test states are impossible in production' using errcode = 'US003';
    end if;
    if environment = 'production' and not is_dry and coalesce(trim(reason), '') = '' then
        raise exception 'a change in production needs a reason' using errcode = 'US003', hint = 'add --reason TEXT, and --ticket ID if there is one';
    end if;
    return environment;
end
$$;
create or replace function usher.instant(given text) returns timestamptz
language plpgsql stable
as $$
declare
    at constant timestamptz := coalesce(given::timestamptz, transaction_timestamp());
begin
    if at > transaction_timestamp() or at < transaction_timestamp() - interval '6 minutes' then
        raise exception 'an act is decided for now, and not for %', at using errcode = 'US002';
    end if;
    return at;
end
$$;
create or replace function usher.arguments(parameters jsonb, given jsonb) returns jsonb
language plpgsql stable
as $$
declare
    parameter jsonb;
    name text;
    value text;
    found jsonb := '{}';
begin
    select min(g.name) into name
      from jsonb_object_keys(coalesce(nullif(given, 'null'), '{}')) g (name)
     where not exists (select from jsonb_array_elements(parameters) p where p.value ->> 'name' = g.name);
    if name is not null then raise exception 'there is no argument %', name using errcode = 'US002'; end if;
    for parameter in select p.value from jsonb_array_elements(parameters) p loop
        name := parameter ->> 'name';
        value := case when given ? name then given ->> name else parameter ->> 'default' end;
        if value is null then
            if not (parameter ->> 'optional')::boolean then
                raise exception '% is missing', name using errcode = 'US002';
            end if;
        else
            if parameter -> 'choices' <> '[]' and not parameter -> 'choices' ? value then
                raise exception '% must be one of %', name,
                      (select string_agg(c.value, ', ') from jsonb_array_elements_text(parameter -> 'choices') c)
                      using errcode = 'US002';
            end if;
            begin
                execute format('select $1::%s', case when (parameter ->> 'secret')::boolean then 'text' else parameter ->> 'type' end) using value;
            exception when data_exception or undefined_object or check_violation then
                raise exception '% is no %', name, parameter ->> 'type' using errcode = 'US002';
            end;
            if parameter ->> 'low' is not null
               and value::numeric not between (parameter ->> 'low')::numeric and (parameter ->> 'high')::numeric then
                raise exception '% must be from % to %', name, parameter ->> 'low', parameter ->> 'high' using errcode = 'US002';
            end if;
        end if;
        found := found || jsonb_build_object(name, value);
    end loop;
    return found;
end
$$;
create or replace function usher.keys(given jsonb, type text) returns text[]
language plpgsql stable
as $$
declare
    found text[];
begin
    if coalesce(nullif(given, 'null'), '[]') = '[]' then return '{}'; end if;
    execute format(
        'select array_agg(k.key order by k.place)
           from (select (x.key::%s)::text as key, min(x.place) as place
                   from jsonb_array_elements_text($1) with ordinality as x (key, place)
                  group by 1) k', type)
       into found using given;
    return found;
end
$$;
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
create or replace function usher.holds(locks bigint[]) returns boolean
language plpgsql volatile
as $$
declare
    lock bigint;
begin
    foreach lock in array holds.locks loop
        if not pg_try_advisory_xact_lock(lock) then return false; end if;
    end loop;
    return true;
end
$$;
create or replace function usher.enter(
    id uuid, kind text, outcome text, command text, app text, app_digest bytea, parent uuid, undoes uuid, root text,
    subjects text[], payload jsonb, changes jsonb default '[]'
) returns void
language plpgsql volatile
as $$
declare
    salt constant bytea := uuid_send(gen_random_uuid());
    -- The salts of changes come from one random seed that nobody keeps, so that none leads to another; drawing each is slow.
    seed constant bytea := uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());
    said constant jsonb := jsonb_strip_nulls(enter.payload);
begin
    insert into usher.operation (id, kind, outcome, command, app, app_digest, parent, undoes, root, subjects, digest, salt, payload)
    values (enter.id, enter.kind, enter.outcome, enter.command, enter.app, enter.app_digest, enter.parent, enter.undoes, enter.root,
            enter.subjects, sha256(salt || convert_to(said::text, 'UTF8')), salt, said);
    insert into usher.change (operation, ordinal, digest, salt, payload)
    select enter.id, c.ordinal, sha256(c.salt || convert_to(c.payload::text, 'UTF8')), c.salt, c.payload
      from (select (r.place - 1)::integer as ordinal,
                   substr(sha256(seed || int8send(r.place)), 1, 16) as salt,
                   jsonb_build_object('table', r.value -> 'table', 'key', r.value -> 'key', 'before', r.value -> 'before',
                                      'after', r.value -> 'after', 'rewritten', r.value -> 'rewritten')
                   || case when r.value ->> 'kind' <> 'insert' and r.value -> 'secrets' <> '[]'
                           then jsonb_build_object('secrets', r.value -> 'secrets') else '{}' end as payload
              from jsonb_array_elements(enter.changes) with ordinality as r (value, place)
            offset 0) c;
end
$$;
create or replace function usher.labelled(app jsonb, act jsonb, keys text[], at timestamptz) returns text
language plpgsql volatile
as $$
declare
    few constant text[] := labelled.keys[:20];
    names text;
begin
    if act ->> 'subject' = 'users' and app ->> 'labels' is not null then
        execute format('select string_agg(coalesce(l.label, k.key), '', '' order by k.place)
                          from unnest($2) with ordinality as k (key, place) left join (%s) l (key, label) on l.key = k.key',
                       app ->> 'labels')
           into names using labelled.at, few;
    else
        names := array_to_string(few, ', ');
    end if;
    return names || case when cardinality(labelled.keys) > 20 then ', …' else '' end;
end
$$;
create or replace function usher.said(
    app jsonb, act jsonb, environment text, keys text[], at timestamptz, arguments jsonb, request jsonb
) returns jsonb
language sql volatile
as $$
    select jsonb_build_object(
        'target', coalesce(usher.labelled(app, act, said.keys, said.at),
                           nullif(concat_ws(' ', said.arguments ->> 'key', case when act ->> 'column' is not null then act ->> 'column' end), '')),
        'users', case when act ->> 'subject' = 'users' then to_jsonb(said.keys) end,
        'arguments', nullif(shown.arguments, '{}'),
        'reason', request -> 'reason', 'ticket', request -> 'ticket', 'environment', environment,
        'final', case when (act ->> 'final')::boolean then true end)
      from (select coalesce(jsonb_object_agg(a.key, a.value) filter (where a.value <> 'null'), '{}') as arguments
              from jsonb_each(said.arguments) a
             where not exists (select from jsonb_array_elements(act -> 'parameters') p
                                where p.value ->> 'name' = a.key and (p.value ->> 'secret')::boolean)) shown
$$;
create or replace function usher.root_name(app jsonb) returns text
language sql immutable
as $$ select quote_ident(app -> 'root' ->> 'schema') || '.' || quote_ident(app -> 'root' ->> 'table') $$;
create or replace function usher.find_act(request jsonb, out act usher.act, out app jsonb)
language plpgsql stable
as $$
begin
    select a.* into act
      from usher.act a
     where a.app = request ->> 'app' and a.digest = decode(request ->> 'digest', 'hex')
       and a.kind = request ->> 'kind' and a.kind <> 'app' and a.name = request ->> 'name' and a.retired_at is null;
    if act.app is null then
        raise exception '%', case
              when exists (select from usher.act a where a.app = request ->> 'app' and a.digest = decode(request ->> 'digest', 'hex') and a.retired_at is null)
              then format('`%s` is not among what was installed of %s', request ->> 'name', request ->> 'app')
              when exists (select from usher.act a where a.app = request ->> 'app' and a.retired_at is null)
              then format('this is not the app file of %s that is installed', request ->> 'app')
              else format('the app file of %s is not installed', request ->> 'app') end
              using errcode = 'US008', hint = 'the owner installs it: `usher install --app FILE`';
    end if;
    app := (select a.definition from usher.act a where a.app = act.app and a.digest = act.digest and a.kind = 'app');
end
$$;
create or replace function usher.run(request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    is_dry constant boolean := coalesce((request ->> 'dry')::boolean, false);
    found record;
    definition jsonb;
    environment text;
    at timestamptz;
    given jsonb;
    subjects text[];
    locks bigint[];
    report jsonb;
    done text[];
begin
    perform usher.refuse_late();
    select * into found from usher.find_act(request);
    definition := (found.act).definition;
    perform usher.refuse_forbidden((found.act).role, definition ->> 'command');
    environment := usher.environment_for((found.act).kind, request ->> 'reason', is_dry);
    at := usher.instant(request ->> 'now');
    given := usher.arguments(definition -> 'parameters', request -> 'arguments');
    subjects := usher.keys(request -> 'keys', definition ->> 'key_type');
    locks := usher.locks((found.act).app, found.app -> 'root', definition, subjects);
    if not usher.holds(locks) then
        return jsonb_build_object('outcome', 'locked', 'locks', to_jsonb(locks));
    end if;
    perform usher.refuse_strangers(definition, subjects, at, given, request ->> 'plan');
    report := usher.perform(found.app, definition, subjects, at, given, request);
    if report ->> 'outcome' = 'done' then
        done := array(select jsonb_array_elements_text(report -> 'subjects'));
        perform usher.enter(
            (request ->> 'id')::uuid, 'change', 'committed', definition ->> 'command', (found.act).app, (found.act).digest, null, null,
            usher.root_name(found.app), usher.users(definition, done, at, given),
            usher.said(found.app, definition, environment, done, at, given, request), report -> 'changes');
    end if;
    return report || jsonb_build_object('environment', environment, 'now', at::text);
end
$$;
create or replace function usher.parents_first(pieces jsonb) returns jsonb
language plpgsql stable
as $$
declare
    waiting oid[] := array(select distinct (p.value ->> 'oid')::oid from jsonb_array_elements(pieces) p order by 1);
    placed oid[] := '{}';
    next oid;
begin
    while cardinality(waiting) > 0 loop
        select w.oid into next
          from unnest(waiting) as w (oid)
         order by exists (select from pg_constraint c
                           where c.contype = 'f' and c.conrelid = w.oid and c.confrelid <> w.oid and c.confrelid = any (waiting)), w.oid
         limit 1;
        placed := placed || next;
        waiting := array_remove(waiting, next);
    end loop;
    return (select jsonb_agg(p.value order by array_position(placed, (p.value ->> 'oid')::oid), p.place)
              from jsonb_array_elements(pieces) with ordinality as p (value, place));
end
$$;
create or replace function usher.undo_piece(shape jsonb, operation uuid, kind text, columns text[]) returns jsonb
language plpgsql stable
as $$
declare
    name constant text := shape ->> 'name';
    relation constant text := shape ->> 'sql';
    same constant text := (select string_agg(format('t.%1$s = k.%1$s', c.value ->> 'sql'), ' and ')
                             from jsonb_array_elements(shape -> 'columns') c where (c.value ->> 'in_key')::boolean);
    -- The changes as rows of SQL: c the change, k its key, typed as the table's columns are.
    changes constant text := format('usher.change c cross join lateral jsonb_populate_record(null::%s, c.payload -> ''key'') k', relation);
    before constant text := format('cross join lateral jsonb_populate_record(null::%s, c.payload -> ''before'') b', relation);
    versions constant text := 'returning t.tableoid::pg_catalog.text, t.ctid::text';
    ours text;
    different text;
    replaced text;
    list text;
    amounts text;
    statement text;
    sentence text;
    wrong text;
begin
    ours := format('c.operation = %L::uuid and c.payload ->> ''table'' = %L and ', operation, name) || case undo_piece.kind
        when 'insert' then 'jsonb_typeof(c.payload -> ''before'') is distinct from ''object'''
        when 'delete' then 'jsonb_typeof(c.payload -> ''after'') is distinct from ''object'''
        else format('jsonb_typeof(c.payload -> ''before'') = ''object'' and jsonb_typeof(c.payload -> ''after'') = ''object''
                     and array(select e.name from jsonb_object_keys(c.payload -> ''before'') e (name)
                                where not coalesce(c.payload -> ''rewritten'', ''[]'') ? e.name order by e.name) = %L::text[]', columns)
        end;
    -- Whether a column that the operation wrote is not as it was before.
    different := format(
        'exists (select from jsonb_each(c.payload -> ''before'') e (name, value)
                  where not coalesce(c.payload -> ''rewritten'', ''[]'') ? e.name
                    and ((%s) -> e.name)::text is distinct from e.value::text)', usher.image(shape));
    -- Whether the operation itself put another row with the same key in the place of this one, or the reverse.
    replaced := format(
        'exists (select from usher.change o
                  where o.operation = c.operation and o.ordinal <> c.ordinal and o.payload ->> ''table'' = %L
                    and o.payload -> ''key'' = c.payload -> ''key'')', name);
    select string_agg(c.value ->> 'sql', ', ' order by c.place), string_agg(v.amount, ', ' order by c.place)
      into list, amounts
      from jsonb_array_elements(shape -> 'columns') with ordinality as c (value, place),
           lateral (select format('(c.payload -> ''before'' -> %L)', c.value ->> 'name') as recorded) r,
           lateral (select case c.value ->> 'form'
                           when 'json' then format('(%s #>> ''{}'')::%s', r.recorded, c.value ->> 'type')
                           when 'jsonb' then format('case when jsonb_typeof%1$s = ''string'' then (%1$s #>> ''{}'')::%2$s else b.%3$s end',
                                                    r.recorded, c.value ->> 'type', c.value ->> 'sql')
                           else 'b.' || (c.value ->> 'sql') end as amount) v
     where not (c.value ->> 'generated')::boolean
       and (undo_piece.kind = 'delete' or c.value ->> 'name' = any (undo_piece.columns));
    if undo_piece.kind = 'insert' then
        statement := format('delete from only %s t using %s where %s and %s', relation, changes, ours, same);
        sentence := 'case when t.ctid is null then ''is gone'' else ''changed since in '' || difference.names end';
        wrong := format('t.ctid is not null and not %s', replaced);
    elsif undo_piece.kind = 'update' then
        statement := format('update only %s t set (%s) = row(%s) from %s %s where %s and %s', relation, list, amounts, changes, before, ours, same);
        sentence := 'case when t.ctid is null then ''is gone'' else ''changed since in '' || difference.names end';
        wrong := 't.ctid is null or ' || different;
    else
        statement := format('insert into %s as t (%s) overriding system value select %s from %s %s where %s',
                            relation, list, amounts, changes, before, ours);
        sentence := format('case when t.ctid is not null and not %s then ''is there again'' end', replaced);
        wrong := 't.ctid is null' || case when (shape ->> 'insert_triggered')::boolean then '' else ' or ' || different end;
    end if;
    return jsonb_build_object(
        'oid', shape ->> 'oid', 'kind', undo_piece.kind,
        'step', jsonb_build_object(
            'summary', format(case undo_piece.kind when 'insert' then 'removing what was inserted into %s'
                                                   when 'update' then 'putting back %s'
                                                   else 'inserting again what was deleted from %s' end, name),
            'sql', statement, 'returning', versions, 'alias', 't', 'counted', 0,
            'targets', jsonb_build_array(jsonb_build_object(
                'schema', shape -> 'schema', 'name', shape -> 'relation', 'heirs', false,
                'assigned', case undo_piece.kind when 'insert' then null when 'update' then to_jsonb(columns) else '[]' end))),
        'correction', case undo_piece.kind when 'update' then statement || ' and ' || different end,
        'obstacle', format(
            'select s.key, s.sentence
               from (select %L || '' '' || (c.payload ->> ''key'') as key, %s as sentence
                       from %s left join %s t on %s
                      cross join lateral (
                            select string_agg(e.name, '', '' order by e.name) as names
                              from jsonb_each(case jsonb_typeof(c.payload -> ''after'') when ''object'' then c.payload -> ''after'' end) e (name, value)
                             where not coalesce(c.payload -> ''rewritten'', ''[]'') ? e.name
                               and ((%s) -> e.name)::text is distinct from e.value::text) difference
                      where %s) s
              where s.sentence is not null order by 1 limit 11', name, sentence, changes, relation, same, usher.image(shape), ours),
        'verification', format(
            'select %L || '' '' || (c.payload ->> ''key'') as key, ''is not as it was'' as sentence
               from %s left join %s t on %s %s where %s and (%s) order by 1 limit 11',
            name, changes, relation, same, '', ours, wrong),
        'confine', format('select c.payload -> ''table'', c.payload -> ''key'' from usher.change c where %s', ours));
end
$$;
create or replace function usher.undo_steps(app jsonb, operation uuid) returns jsonb
language plpgsql stable
as $$
declare
    recorded record;
    shape jsonb;
    secret text;
    pieces jsonb := '[]';
    remarks jsonb := '[]';
begin
    for recorded in
        select c.payload ->> 'table' as relation,
               (select t.oid from pg_class t join pg_namespace n on n.oid = t.relnamespace
                 where n.nspname || '.' || t.relname = c.payload ->> 'table' and t.relkind in ('r', 'p')) as oid,
               case when jsonb_typeof(c.payload -> 'before') is distinct from 'object' then 'insert'
                    when jsonb_typeof(c.payload -> 'after') is distinct from 'object' then 'delete' else 'update' end as kind,
               k.written as columns, c.payload -> 'key' = '{}' as keyless, count(c.erased) as erased,
               string_agg(distinct r.names, ', ') as rewritten, min(c.payload -> 'secrets' ->> 0) as secret
          from usher.change c
         cross join lateral (
               select coalesce(array_agg(e.name order by e.name), '{}') as written
                 from jsonb_object_keys(case when jsonb_typeof(c.payload -> 'before') = 'object' then c.payload -> 'before'
                                             else '{}' end) e (name)
                where jsonb_typeof(c.payload -> 'after') = 'object'
                  and not coalesce(c.payload -> 'rewritten', '[]') ? e.name) k
         cross join lateral (
               select string_agg(w.name, ', ' order by w.name) as names
                 from jsonb_array_elements_text(coalesce(c.payload -> 'rewritten', '[]')) w (name)) r
         where c.operation = undo_steps.operation
         group by 1, 2, 3, 4, 5
         order by 1, 3
    loop
        if recorded.erased > 0 then
            raise exception 'what it changed was erased together with the person it was about' using errcode = 'US003';
        end if;
        if recorded.keyless then
            remarks := remarks || to_jsonb(format('rows that were added to %s, which has no key, stay', recorded.relation));
            continue;
        end if;
        shape := usher.shape(recorded.oid, array(select jsonb_array_elements_text(app -> 'secrets')));
        if shape is null or not usher.has_key(shape) then
            raise exception '% is no longer what it was when the operation ran', recorded.relation using errcode = 'US003';
        end if;
        select c.value ->> 'name' into secret
          from jsonb_array_elements(shape -> 'columns') c where (c.value ->> 'secret')::boolean limit 1;
        if recorded.kind = 'delete' and secret is not null then
            raise exception '% holds %, which is never recorded, so its rows cannot be made again', recorded.relation, secret
                  using errcode = 'US003';
        end if;
        if recorded.secret is not null then
            raise exception 'it changed % of %, which is never recorded, so nobody knows what it was', recorded.secret, recorded.relation
                  using errcode = 'US003';
        end if;
        if recorded.rewritten is not null then
            remarks := remarks || to_jsonb(format('%s of %s is left to the triggers that write it', recorded.rewritten, recorded.relation));
        elsif recorded.kind = 'delete' and (shape ->> 'insert_triggered')::boolean then
            remarks := remarks || to_jsonb(format('columns that triggers of %s write are left to them', recorded.relation));
        end if;
        if recorded.kind = 'update' and recorded.columns = '{}' then continue; end if;
        pieces := pieces || usher.undo_piece(shape, operation, recorded.kind, recorded.columns);
    end loop;
    if pieces = '[]' then
        raise exception '%', concat_ws(': ', 'nothing of what it did can be taken back', remarks ->> 0) using errcode = 'US003';
    end if;
    return jsonb_build_object(
        'pieces', usher.parents_first(pieces),
        'remarks', (select coalesce(jsonb_agg(r.value order by r.place), '[]')
                      from (select x.value, min(x.place) as place from jsonb_array_elements(remarks) with ordinality as x (value, place)
                             group by 1) r));
end
$$;
create or replace function usher.undo_act(operation usher.operation, steps jsonb, kinds text[]) returns jsonb
language sql stable
as $$
    with sorted as (
        select p.value,
               row_number() over (order by array_position(kinds, p.value ->> 'kind'),
                                           case p.value ->> 'kind' when 'insert' then - p.place else p.place end) as turn
          from jsonb_array_elements(steps -> 'pieces') with ordinality as p (value, place)
    )
    select jsonb_build_object(
        'command', 'audit undo', 'undoes', operation.id,
        'subject', case when coalesce(operation.payload -> 'users', '[]') = '[]' then 'nothing' else 'users' end,
        'refusals', 0, 'expects', '[]'::jsonb, 'impacts', '[]'::jsonb, 'parameters', '[]'::jsonb,
        'steps', (select jsonb_agg(p.value -> 'step' order by p.turn) from sorted p)
                 || case when (select count(*) from sorted) < 2 then '[]'
                         else (select coalesce(jsonb_agg(p.value -> 'step' || jsonb_build_object('sql', p.value -> 'correction') order by p.turn), '[]')
                                 from sorted p where p.value ->> 'correction' is not null) end,
        'obstacles', (select jsonb_agg(p.value -> 'obstacle') from sorted p),
        'verifications', (select jsonb_agg(p.value -> 'verification') from sorted p),
        'confines', (select jsonb_agg(p.value -> 'confine') from sorted p))
$$;
create or replace function usher.refuse_irrevocable(operation usher.operation, request jsonb) returns void
language plpgsql stable
as $$
declare
    undoing uuid;
    outcome constant text := usher.outcome(operation.id);
begin
    if operation.id is null then
        raise exception 'there is no operation %', request ->> 'operation' using errcode = 'US004', hint = '`usher audit list` lists them';
    end if;
    select u.id into undoing from usher.operation u
     where u.undoes = operation.id and u.at > operation.at and usher.outcome(u.id) = 'committed' limit 1;
    if undoing is not null then
        raise exception 'it is undone already, by %', undoing using errcode = 'US003', hint = format('`usher audit undo %s` does it again', undoing);
    end if;
    if operation.erased is not null then
        raise exception 'what it changed was erased together with the person it was about' using errcode = 'US003';
    end if;
    if coalesce(operation.payload -> 'final' = 'true', false) then
        raise exception '% cannot be undone', operation.command using errcode = 'US003';
    end if;
    if outcome not in ('committed', 'partial', 'running') then
        raise exception 'it was %; there is nothing to undo', outcome using errcode = 'US003';
    end if;
    if operation.kind not in ('change', 'undo', 'batch') then
        raise exception 'an operation of the kind % cannot be undone', operation.kind using errcode = 'US003';
    end if;
end
$$;
create or replace function usher.role_of(operation usher.operation) returns text
language sql stable
as $$
    with recursive
    origin (id, undoes) as (
        select operation.id, operation.undoes
         union
        select o.id, o.undoes from origin u join usher.operation o on o.id = u.undoes
    )
    select coalesce(
        (select a.role
           from origin u
           join usher.operation o on o.id = u.id
           join usher.act a on a.app = o.app and a.digest = o.app_digest and a.definition ->> 'command' = o.command
          where u.undoes is null
          -- States share a command, and a role.
          order by a.name limit 1),
        'usher_engineer')
$$;
create or replace function usher.app_of(operation usher.operation) returns jsonb
language sql stable
as $$
    select coalesce(
        (select a.definition
           from usher.act a
          where a.app = operation.app and a.kind = 'app'
          order by a.retired_at desc nulls first, a.installed_at desc
          limit 1),
        jsonb_build_object('key_type', 'text', 'path', current_setting('search_path'), 'secrets', '[]'::jsonb, 'decisions', '[]'::jsonb))
$$;
create or replace function usher.enter_undo(
    request jsonb, undone usher.operation, app jsonb, act jsonb, environment text, subjects text[], at timestamptz, changes jsonb
) returns void
language plpgsql volatile
as $$
begin
    perform usher.enter(
        (request ->> 'id')::uuid, case when request ->> 'parent' is null then 'undo' else 'batch' end, 'committed', 'audit undo',
        undone.app, undone.app_digest, (request ->> 'parent')::uuid, undone.id, undone.root, undone.subjects,
        usher.said(enter_undo.app, act, environment, enter_undo.subjects, enter_undo.at, '{}', request)
            || coalesce(request -> 'position', '{}')
            || case when enter_undo.subjects = '{}' then jsonb_build_object('target', undone.id) else '{}' end,
        enter_undo.changes);
end
$$;
create or replace function usher.update_statement(step jsonb, target jsonb, shape jsonb, columns jsonb, watched jsonb) returns text
language sql immutable
as $$
    select format(
$statement$
with w as (
%s
returning %s),
d as materialized (
    select pg_catalog.row_number() over () - 1 as ordinal, %s as is_straying, pg_catalog.cardinality(c.kept) = %s as is_same,
           pg_catalog.jsonb_build_object('table', %L::text, 'key', %s, 'before', (%s) - c.kept, 'after', (%s) - c.kept,
                                         'rewritten', %s) as payload
      from w
      join %s b on %s
     cross join lateral (select pg_catalog.array_remove(array[%s]::text[], null) as kept offset 0) c),
s as (
    select d.ordinal, d.payload, pg_catalog.substr(pg_catalog.sha256($5 || pg_catalog.int8send(d.ordinal + 1)), 1, 16) as salt
      from d where not d.is_same offset 0),
i as (
    insert into usher.change (operation, ordinal, digest, salt, payload)
    select $4, s.ordinal, pg_catalog.sha256(s.salt || pg_catalog.convert_to(s.payload::text, 'UTF8')), s.salt, s.payload from s
    returning 1)
select (select pg_catalog.count(*) from w) as written, (select pg_catalog.count(*) from i) as changed,
       (select pg_catalog.count(*) from d where d.is_straying) as straying
$statement$,
        step ->> 'sql',
        (select string_agg(format('%s.%s', step ->> 'alias', c.of ->> 'sql'), ', ')
           from jsonb_array_elements(keyed.columns || update_statement.columns || coalesce(watched, '[]')) as c (of)),
        coalesce((select format('row(%s)::record operator(pg_catalog.*<>) row(%s)::record',
                                string_agg(format('b.%s', c.of ->> 'sql'), ', '), string_agg(format('w.%s', c.of ->> 'sql'), ', '))
                    from jsonb_array_elements(watched) as c (of)), 'false'),
        jsonb_array_length(update_statement.columns),
        shape ->> 'name', usher.object(keyed.columns, 'w'), usher.object(update_statement.columns, 'b'), usher.object(update_statement.columns, 'w'),
        coalesce((select string_agg(format('case when row(b.%1$s)::record operator(pg_catalog.*<>) row(w.%1$s)::record then %2$L::jsonb else ''[]''::jsonb end',
                                           c.of ->> 'sql', jsonb_build_array(c.of ->> 'name')), ' || ')
                    from jsonb_array_elements(update_statement.columns) as c (of)
                   where not target -> 'assigned' ? (c.of ->> 'name')), '''[]''::jsonb'),
        shape ->> 'sql',
        (select string_agg(format('b.%1$s = w.%1$s', c.of ->> 'sql'), ' and ') from jsonb_array_elements(keyed.columns) as c (of)),
        (select string_agg(format('case when row(b.%1$s)::record operator(pg_catalog.*=) row(w.%1$s)::record then %2$L end',
                                  c.of ->> 'sql', c.of ->> 'name'), ', ')
           from jsonb_array_elements(update_statement.columns) as c (of)))
      from (select jsonb_agg(c.of order by c.place) as columns
              from jsonb_array_elements(shape -> 'columns') with ordinality as c (of, place)
             where (c.of ->> 'in_key')::boolean) keyed
$$;
create or replace function usher.updated_at_once(
    app jsonb, act jsonb, relations jsonb, earlier uuid, operation uuid, keys text[], at timestamptz, arguments jsonb
) returns bigint
language plpgsql volatile
as $$
declare
    step constant jsonb := act -> 'steps' -> 0;
    target constant jsonb := step -> 'targets' -> 0;
    reach constant jsonb := relations -> usher.relation_name(target);
    relation constant oid := reach -> 'tables' ->> 0;
    seed constant bytea := uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());
    shape jsonb;
    columns jsonb;
    watched jsonb;
    seen jsonb[];
    statement text;
    deferred text;
    before jsonb;
    after jsonb;
    promise jsonb;
    unkept bigint;
    answered bigint;
    done record;
begin
    if act ->> 'each' is not null or act ->> 'subject' <> 'users' or act -> 'impacts' <> '[]'
       or jsonb_array_length(act -> 'steps') <> 1 or jsonb_array_length(step -> 'targets') <> 1
       or step ->> 'returning' is null or coalesce(jsonb_typeof(target -> 'assigned'), 'null') <> 'array'
       or (reach ->> 'is_view')::boolean or (reach ->> 'is_diverted')::boolean or jsonb_array_length(reach -> 'tables') <> 1 then
        return null;
    end if;
    shape := usher.shape(relation, array(select jsonb_array_elements_text(app -> 'secrets')));
    if not usher.has_key(shape) then return null; end if;
    seen := array(select h.payload from usher.change h where h.operation = earlier order by h.ordinal limit 100);
    if exists (select from unnest(seen) s (change) where s.change ->> 'table' <> shape ->> 'name') then return null; end if;
    select jsonb_agg(c.of order by c.place) filter (where w.is_written),
           jsonb_agg(c.of order by c.place) filter (where not w.is_written and not (c.of ->> 'in_key')::boolean)
      into columns, watched
      from jsonb_array_elements(shape -> 'columns') with ordinality as c (of, place),
           lateral (select target -> 'assigned' ? (c.of ->> 'name')
                           or exists (select from unnest(seen) s (change) where s.change -> 'after' ? (c.of ->> 'name'))) w (is_written);
    if jsonb_path_exists(columns, '$[*] ? (@.in_key == true || @.secret == true)') then return null; end if;
    if not (shape ->> 'triggered')::boolean and not jsonb_path_exists(shape, '$.columns[*] ? (@.generated == true)') then
        watched := null;
    end if;
    statement := usher.update_statement(step, target, shape, columns, watched);
    deferred := usher.deferred();
    before := usher.counters();
    perform pg_catalog.set_config(
        'search_path', pg_catalog.concat_ws(', ', nullif(pg_catalog.btrim(app ->> 'path'), ''), 'pg_temp'), true);
    execute statement into done using at, keys, arguments, operation, seed;
    if deferred is not null then execute 'set constraints ' || deferred || ' immediate'; end if;
    perform pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    after := usher.counters();
    if done.straying > 0 or after -> 'tables' <> before -> 'tables' or after ->> 'elsewhere' is not null
       or exists (select from jsonb_each(after -> 'counts') n
                   where n.value is distinct from before -> 'counts' -> n.key
                     and (n.key <> relation::text
                          or (n.value ->> 0)::bigint <> coalesce((before -> 'counts' -> n.key ->> 0)::bigint, 0)
                          or (n.value ->> 2)::bigint <> coalesce((before -> 'counts' -> n.key ->> 2)::bigint, 0)))
       or done.written <> coalesce((after -> 'counts' -> relation::text ->> 1)::bigint, 0)
                          - coalesce((before -> 'counts' -> relation::text ->> 1)::bigint, 0) then
        raise sqlstate 'UA006';
    end if;
    for promise in select e.of from jsonb_array_elements(act -> 'expects') as e (of) loop
        execute format(
            'select count(*) filter (where d.outcome is null or d.outcome <> all ($4)), count(distinct d.key)
               from (%s) d (key, per, outcome)',
            (select d.of ->> 'sql' from jsonb_array_elements(app -> 'decisions') as d (of)
              where d.of ->> 'name' = promise ->> 'decision'))
           into unkept, answered
          using at, keys, '{}'::jsonb, array(select jsonb_array_elements_text(promise -> 'outcomes'));
        if unkept > 0 or answered < cardinality(keys) then raise sqlstate 'UA006'; end if;
    end loop;
    return done.changed;
exception
    when sqlstate 'UA006' then return null;
    when others then
    -- The thorough way finds out of whom it is about, and says it in full.
    if usher.is_passing(sqlstate) then raise; end if;
    return null;
end
$$;
create or replace function usher.taken_back_at_once(
    request jsonb, undone usher.operation, app jsonb, act jsonb, environment text, subjects text[], at timestamptz
) returns jsonb
language plpgsql volatile
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set random_page_cost = 1.1
set max_parallel_workers_per_gather = 0
as $$
declare
    targets constant jsonb := act -> 'steps' -> 0 -> 'targets';
    relations constant jsonb := usher.written(targets);
    changed bigint;
begin
    perform usher.own_settings(app -> 'settings');
    perform usher.refuse_obstacle(r.value ->> 'obstacle', r.value ->> 'place') from jsonb_each(relations) r order by r.key;
    perform usher.refuse_hidden(targets);
    perform usher.refuse_found(act -> 'obstacles', 'what it changed has changed since');
    begin
        perform usher.enter_undo(request, undone, app, act, environment, subjects, at, '[]');
        -- What the triggers of the table write is known from what is taken back.
        changed := usher.updated_at_once(app, act, relations, undone.id, (request ->> 'id')::uuid, subjects, at, '{}');
        if changed is null or changed = 0 then raise sqlstate 'UA006'; end if;
        perform usher.refuse_found(act -> 'verifications', 'it cannot be restored');
    exception when sqlstate 'UA006' or sqlstate 'US003' then return null;
    end;
    return jsonb_build_object(
        'outcome', 'done', 'subjects', '[]'::jsonb, 'warnings', '[]'::jsonb, 'refused', '[]'::jsonb, 'impacts', '[]'::jsonb,
        'changed', changed);
end
$$;
create or replace function usher.take_back(request jsonb, at timestamptz) returns jsonb
language plpgsql volatile
as $$
declare
    is_dry constant boolean := coalesce((request ->> 'dry')::boolean, false);
    undone usher.operation;
    app jsonb;
    act jsonb;
    steps jsonb;
    environment text;
    subjects text[];
    locks bigint[];
    report jsonb;
    kinds text[];
begin
    select o.* into undone from usher.operation o where o.id = (take_back.request ->> 'operation')::uuid;
    perform usher.refuse_irrevocable(undone, request);
    perform usher.refuse_forbidden(usher.role_of(undone), 'audit undo');
    environment := usher.environment_for('undo', request ->> 'reason', is_dry);
    app := usher.app_of(undone);
    steps := usher.undo_steps(app, undone.id);
    subjects := usher.keys(undone.payload -> 'users', coalesce(app ->> 'key_type', 'text'));
    foreach kinds slice 1 in array array[
        ['insert', 'delete', 'update'], ['delete', 'update', 'insert'], ['update', 'insert', 'delete'],
        ['insert', 'update', 'delete'], ['update', 'delete', 'insert'], ['delete', 'insert', 'update']]
    loop
        act := usher.undo_act(undone, steps, kinds);
        if locks is null then
            locks := usher.locks(undone.app, app -> 'root', act, subjects);
            if not usher.holds(locks) then return jsonb_build_object('outcome', 'locked', 'locks', to_jsonb(locks)); end if;
        end if;
        -- A part of many is put back by one statement where that is all there is to it.
        if request ->> 'parent' is not null and not is_dry then
            report := usher.taken_back_at_once(request, undone, app, act, environment, subjects, at);
            exit when report is not null;
        end if;
        report := usher.perform(app, act, subjects, at, '{}', request);
        exit when report ->> 'outcome' <> 'failed' or left(report -> 'error' ->> 'state', 2) <> '23';
    end loop;
    if report ->> 'outcome' = 'done' and report ->> 'changed' is null then
        perform usher.enter_undo(request, undone, app, act, environment, subjects, at, report -> 'changes');
    end if;
    return report || jsonb_build_object('environment', environment, 'now', at::text, 'remarks', steps -> 'remarks', 'users', to_jsonb(subjects));
end
$$;
create or replace function usher.undo(request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
    perform usher.refuse_late();
    return usher.take_back(request - array['parent', 'position'], usher.instant(request ->> 'now'));
end
$$;
create or replace function usher.selected(act jsonb, selections jsonb, at timestamptz, arguments jsonb) returns text[]
language plpgsql volatile
as $$
declare
    selection text;
    own text[];
    found text[];
begin
    for selection in select jsonb_array_elements_text(selections) loop
        if act -> 'selections' -> selection is null then
            raise exception '`%` knows no selection %', act ->> 'command', selection using errcode = 'US002';
        end if;
        if found is null then
            execute format('select coalesce(array_agg(s.key order by s.key::%s), ''{}'') from (%s) s (key)',
                           act ->> 'key_type', act -> 'selections' -> selection ->> 'all')
               into own using selected.at, '{}'::text[], selected.arguments;
        else
            own := usher.still_selected(act, jsonb_build_array(selection), found, selected.at, selected.arguments);
        end if;
        found := own;
    end loop;
    if act ->> 'each' is not null then
        execute format('select coalesce(array_agg(e.key), ''{}'') from (%s) e (key)', act ->> 'each')
           into found using selected.at, found, selected.arguments;
    end if;
    return found;
end
$$;
create or replace function usher.still_selected(act jsonb, selections jsonb, keys text[], at timestamptz, arguments jsonb) returns text[]
language plpgsql volatile
as $$
declare
    selection text;
    found text[] := still_selected.keys;
begin
    for selection in select jsonb_array_elements_text(coalesce(selections, '[]')) loop
        execute format('select coalesce(array_agg(k.key order by k.place), ''{}'')
                          from unnest($2) with ordinality as k (key, place) where k.key in (select s.key from (%s) s (key))',
                       act -> 'selections' -> selection ->> 'of')
           into found using still_selected.at, found, still_selected.arguments;
    end loop;
    return found;
end
$$;
create or replace function usher.listed(act jsonb, keys text[], at timestamptz, arguments jsonb) returns text[]
language plpgsql volatile
as $$
declare
    found text[];
begin
    if act ->> 'listed' is null then return listed.keys; end if;
    execute format('select coalesce(array_agg(k.key order by k.place), ''{}'')
                      from unnest($2) with ordinality as k (key, place) where k.key in (select j.key from (%s) j)',
                   act ->> 'listed')
       into found using listed.at, listed.keys, listed.arguments;
    return found;
end
$$;
create or replace function usher.refuse_strangers(act jsonb, keys text[], at timestamptz, arguments jsonb, plan text) returns void
language plpgsql volatile
as $$
declare
    known constant text[] := usher.listed(act, refuse_strangers.keys, at, arguments);
begin
    if cardinality(known) = cardinality(refuse_strangers.keys) then return; end if;
    raise exception '%', format(case when plan is null then 'there is no %s here' else '%s is gone meanwhile; nothing was changed' end,
                                (select k.key from unnest(refuse_strangers.keys) k (key) where k.key <> all (known) or k.key is null limit 1))
          using errcode = case when plan is null then 'US004' else 'US006' end;
end
$$;
create or replace function usher.refuse_irrevocable_bulk(operation usher.operation, request jsonb) returns void
language plpgsql stable
as $$
begin
    if operation.kind is distinct from 'bulk' then
        raise exception 'there is no act on many %', request ->> 'undoes' using errcode = 'US004';
    end if;
    if usher.outcome(operation.id) = 'undone' then
        raise exception 'it is undone already' using errcode = 'US003';
    end if;
    if coalesce(operation.payload -> 'final' = 'true', false) then
        raise exception '% cannot be undone', operation.command using errcode = 'US003';
    end if;
end
$$;
create or replace function usher.refuse_unsettled(whole usher.operation) returns void
language plpgsql stable
as $$
begin
    if (whole.payload ->> 'total')::bigint > 0 and not exists (select from usher.subject s where s.operation = whole.id) then
        raise exception '% was begun by an earlier version, which alone could continue it', whole.id
              using errcode = 'US003', hint = 'begin it again: what is done already is refused or left as it is';
    end if;
end
$$;
create or replace function usher.resumed(whole usher.operation, input text, request jsonb) returns jsonb
language plpgsql stable
as $$
declare
    parts record;
begin
    if whole.id is null then
        raise exception 'there is no bulk change %', request ->> 'resumes' using errcode = 'US004';
    end if;
    if usher.outcome(whole.id) <> 'running' then
        raise exception '% is not unfinished: it is %', whole.id, usher.outcome(whole.id) using errcode = 'US003';
    end if;
    perform usher.refuse_unsettled(whole);
    if whole.payload ->> 'input' is distinct from resumed.input then
        raise exception '% was another change, or one of other users', whole.id
              using errcode = 'US002', hint = 'repeat the command with the same words and the same file';
    end if;
    select coalesce(sum((b.payload ->> 'done')::bigint), 0) as done, coalesce(sum((b.payload ->> 'refused')::bigint), 0) as refused,
           coalesce(sum((select count(*) from usher.change c where c.operation = b.id)), 0) as changes,
           coalesce(max((b.payload ->> 'last')::integer), 0) as last,
           count(*) filter (where usher.outcome(b.id) = 'undone') as undone
      into parts
      from usher.operation b where b.parent = whole.id and b.kind = 'batch';
    if parts.undone > 0 then
        raise exception 'parts of % are undone; going on would leave them so', whole.id using errcode = 'US003', hint = 'undo the rest of it';
    end if;
    return jsonb_build_object(
        'outcome', 'resumed', 'operation', whole.id, 'now', whole.payload -> 'now', 'total', whole.payload -> 'total',
        'done', parts.done, 'refusals', parts.refused + coalesce((whole.payload ->> 'missing')::bigint, 0), 'changed', parts.changes,
        'subjects', (select coalesce(jsonb_agg(s.key order by s.ordinal), '[]')
                       from (select u.key, u.ordinal from usher.subject u
                              where u.operation = whole.id and u.ordinal > parts.last order by u.ordinal limit 100) s));
end
$$;
create or replace function usher.begin(request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    is_dry constant boolean := coalesce((request ->> 'dry')::boolean, false);
    found record;
    undone usher.operation;
    definition jsonb;
    environment text;
    at timestamptz;
    given jsonb := '{}';
    chosen text[];
    selections constant jsonb := coalesce(nullif(request -> 'selections', 'null'), '[]');
    input text;
    unfinished uuid;
    whole usher.operation;
begin
    perform usher.refuse_late();
    at := usher.instant(request ->> 'now');
    environment := usher.environment_for(coalesce(request ->> 'kind', 'undo'), request ->> 'reason', is_dry);
    if request ->> 'undoes' is null then
        select * into found from usher.find_act(request);
        definition := (found.act).definition;
        perform usher.own_settings(found.app -> 'settings');
        perform usher.refuse_forbidden((found.act).role, definition ->> 'command');
        given := usher.arguments(definition -> 'parameters', request -> 'arguments');
        chosen := case when selections = '[]' then usher.keys(request -> 'keys', definition ->> 'key_type')
                       else usher.selected(definition, selections, at, given) end;
        if selections = '[]' then perform usher.refuse_strangers(definition, chosen, at, given, null); end if;
        input := encode(sha256(convert_to(jsonb_build_array(
            (found.act).app, (found.act).digest, (found.act).name, given,
            case when selections = '[]' then to_jsonb(chosen) else selections end)::text, 'UTF8')), 'hex');
    else
        select null::usher.act as act, null::jsonb as app into found;
        select o.* into undone from usher.operation o where o.id = (begin.request ->> 'undoes')::uuid;
        perform usher.refuse_irrevocable_bulk(undone, begin.request);
        perform usher.refuse_forbidden(usher.role_of(undone), 'audit undo');
        definition := jsonb_build_object('command', 'audit undo', 'subject', 'nothing', 'parameters', '[]'::jsonb);
        chosen := array(select b.id::text from usher.operation b
                         where b.parent = undone.id and b.kind = 'batch' and usher.outcome(b.id) = 'committed'
                         order by b.at desc);
        if cardinality(chosen) = 0 and request ->> 'resumes' is null then
            raise exception 'there is nothing of it left to undo' using errcode = 'US003';
        end if;
        input := 'undo ' || undone.id;
    end if;
    if request ->> 'resumes' is not null then
        select o.* into whole from usher.operation o where o.id = (begin.request ->> 'resumes')::uuid and o.kind = 'bulk';
        return usher.resumed(whole, input, begin.request);
    end if;
    if not usher.holds(array[hashtextextended('usher bulk ' || input, 0)]) then
        return jsonb_build_object('outcome', 'locked', 'locks', array[hashtextextended('usher bulk ' || input, 0)]);
    end if;
    select o.id into unfinished
      from usher.operation o
     where o.kind = 'bulk' and o.payload ->> 'input' = input and usher.outcome(o.id) = 'running'
     order by o.at desc limit 1;
    if unfinished is not null then
        raise exception 'the same change was begun and not finished, as operation %', unfinished
              using errcode = 'US006', detail = unfinished::text,
                    hint = format('the same command with --resume %s continues it; nothing is done twice', unfinished);
    end if;
    if is_dry then return jsonb_build_object('outcome', 'planned', 'total', cardinality(chosen), 'now', at::text); end if;
    perform usher.enter(
        (request ->> 'id')::uuid, 'bulk', 'committed', definition ->> 'command', coalesce((found.act).app, undone.app),
        coalesce((found.act).digest, undone.app_digest), null, undone.id, coalesce(usher.root_name(found.app), undone.root), null,
        usher.said(found.app, definition, environment, '{}', at, given, request)
            || jsonb_build_object(
                'target', case when undone.id is not null then undone.id::text
                               when selections = '[]' then cardinality(chosen) || ' users'
                               else (select string_agg('--' || s.name, ' ' order by s.place)
                                       from jsonb_array_elements_text(selections) with ordinality as s (name, place)) end,
                'kind', request -> 'kind', 'name', request -> 'name', 'selections', nullif(selections, '[]'),
                'input', input, 'now', at::text, 'total', cardinality(chosen), 'missing', request -> 'missing'));
    insert into usher.subject (operation, ordinal, key)
    select (begin.request ->> 'id')::uuid, c.ordinal, c.key from unnest(chosen) with ordinality as c (key, ordinal);
    return jsonb_build_object('outcome', 'begun', 'operation', request ->> 'id', 'total', cardinality(chosen), 'now', at::text);
end
$$;
create or replace function usher.finish(whole usher.operation, id uuid) returns jsonb
language plpgsql volatile
as $$
declare
    sums record;
begin
    select coalesce(sum((b.payload ->> 'done')::bigint), 0) as done,
           coalesce(sum((b.payload ->> 'refused')::bigint), 0) + coalesce((whole.payload ->> 'missing')::bigint, 0) as refused
      into sums
      from usher.operation b where b.parent = whole.id and b.kind = 'batch';
    perform usher.enter(
        finish.id, 'end', case when sums.refused = 0 then 'committed' else 'partial' end, whole.command, whole.app,
        whole.app_digest, whole.id, null, whole.root, null, jsonb_build_object('done', sums.done, 'refused', sums.refused));
    return jsonb_build_object('outcome', 'exhausted', 'done', sums.done, 'refusals', sums.refused);
end
$$;
create or replace function usher.part_at_once(
    whole usher.operation, app jsonb, act jsonb, id uuid, keys text[], at timestamptz, arguments jsonb, place jsonb
) returns jsonb
language plpgsql volatile
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set random_page_cost = 1.1
set max_parallel_workers_per_gather = 0
as $$
declare
    targets constant jsonb := (select coalesce(jsonb_agg(distinct t.value), '[]')
                                 from jsonb_array_elements(act -> 'steps') s, jsonb_array_elements(s.value -> 'targets') t);
    relations constant jsonb := usher.written(targets);
    earlier uuid;
    judgement jsonb;
    subjects text[] := part_at_once.keys;
    selection text;
    left_out integer;
    changed bigint;
    own jsonb;
begin
    -- What comes with it is learned from a part that was looked at to the last row.
    select b.id into earlier from usher.operation b
     where b.parent = whole.id and b.kind = 'batch' and b.outcome = 'committed' order by b.at desc limit 1;
    if earlier is null then return null; end if;
    perform usher.refuse_obstacle(r.value ->> 'obstacle', r.value ->> 'place') from jsonb_each(relations) r order by r.key;
    perform usher.refuse_hidden(targets);
    -- Whoever is selected is listed.
    if coalesce(whole.payload -> 'selections', '[]') = '[]' then subjects := usher.listed(act, subjects, at, arguments); end if;
    for selection in select jsonb_array_elements_text(coalesce(whole.payload -> 'selections', '[]')) loop
        execute format('select coalesce(array_agg(s.key), ''{}'') from (%s) s (key)', act -> 'selections' -> selection ->> 'of')
           into subjects using at, subjects, arguments;
    end loop;
    judgement := usher.judged(act, subjects, at, arguments);
    if judgement -> 'refused' ? '' then return null; end if;
    left_out := (select count(*) from jsonb_object_keys(judgement -> 'refused'));
    if left_out > 0 then
        subjects := array(select k.key from unnest(subjects) k (key) where not judgement -> 'refused' ? k.key);
    end if;
    if cardinality(subjects) = 0 then return null; end if;
    own := part_at_once.place || jsonb_build_object('done', cardinality(subjects), 'refused', left_out);
    begin
        perform usher.enter(
            part_at_once.id, 'batch', 'committed', whole.command, whole.app, whole.app_digest, whole.id, null, whole.root, subjects,
            usher.said(app, act, usher.environment_name(), subjects, at, '{}', '{}') || own);
        changed := usher.updated_at_once(app, act, relations, earlier, part_at_once.id, subjects, at, arguments);
        if changed is null or changed = 0 then raise sqlstate 'UA006'; end if;
    exception when sqlstate 'UA006' then return null;
    end;
    return jsonb_build_object(
        'outcome', 'done', 'subjects', '[]'::jsonb, 'warnings', '[]'::jsonb, 'impacts', '[]'::jsonb,
        'refused', (select coalesce(jsonb_agg(r.value order by r.key), '[]') from jsonb_each(judgement -> 'refused') r),
        'done', own -> 'done', 'refusals', own -> 'refused', 'changed', changed, 'operation', part_at_once.id);
end
$$;
create or replace function usher.batch(request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    whole usher.operation;
    act usher.act;
    app jsonb;
    at timestamptz;
    given jsonb;
    parts record;
    part constant uuid := (request ->> 'id')::uuid;
    due text[];
    gone integer;
    last integer;
    position jsonb;
    report jsonb;
    because text;
begin
    perform usher.refuse_late();
    select o.* into whole from usher.operation o where o.id = (batch.request ->> 'operation')::uuid and o.kind = 'bulk';
    if whole.id is null then
        raise exception 'there is no act on many %', request ->> 'operation' using errcode = 'US004';
    end if;
    -- One part at a time, whoever continues.
    if not usher.holds(array[hashtextextended('usher bulk ' || whole.id, 0)]) then
        return jsonb_build_object('outcome', 'locked', 'locks', array[hashtextextended('usher bulk ' || whole.id, 0)]);
    end if;
    if usher.outcome(whole.id) <> 'running' then
        raise exception 'this was done by somebody else meanwhile; nothing was done twice'
              using errcode = 'US006', hint = '`usher audit list` shows by whom';
    end if;
    perform usher.refuse_unsettled(whole);
    select count(*) as number, coalesce(max((b.payload ->> 'last')::integer), 0) as last,
           count(*) filter (where usher.outcome(b.id) = 'undone') as undone
      into parts
      from usher.operation b where b.parent = whole.id and b.kind = 'batch';
    if parts.undone > 0 and whole.undoes is null then
        raise exception 'parts of % are undone; going on would leave them so', whole.id using errcode = 'US003', hint = 'undo the rest of it';
    end if;
    at := (whole.payload ->> 'now')::timestamptz;
    perform usher.environment_for(coalesce(whole.payload ->> 'kind', 'undo'), whole.payload ->> 'reason', false);
    select coalesce(array_agg(s.key order by s.ordinal), '{}'), max(s.ordinal) into due, last
      from (select u.key, u.ordinal from usher.subject u
             where u.operation = whole.id and u.ordinal > parts.last
             order by u.ordinal
             limit case when whole.undoes is null then greatest((batch.request ->> 'size')::integer, 1) else 1 end) s;
    if whole.undoes is not null then
        perform usher.refuse_forbidden(usher.role_of(whole), whole.command);
    else
        select a.* into act from usher.act a
         where a.app = whole.app and a.digest = whole.app_digest and a.kind = whole.payload ->> 'kind' and a.name = whole.payload ->> 'name';
        perform usher.refuse_forbidden(act.role, whole.command);
        app := (select a.definition from usher.act a where a.app = act.app and a.digest = act.digest and a.kind = 'app');
        perform usher.own_settings(app -> 'settings');
    end if;
    if cardinality(due) = 0 then return usher.finish(whole, part); end if;
    position := jsonb_build_object('number', parts.number + 1, 'last', last);
    if whole.undoes is not null then
        begin
            gone := (select count(*) from usher.operation b, jsonb_array_elements(b.payload -> 'users') where b.id = due[1]::uuid);
            report := usher.take_back(
                jsonb_build_object('id', part, 'operation', due[1], 'parent', whole.id, 'confirmed', true, 'reason', whole.payload -> 'reason',
                                   'ticket', whole.payload -> 'ticket', 'position', position || jsonb_build_object('done', gone, 'refused', 0)), at);
            if report ->> 'outcome' = 'locked' then return report; end if;
            because := report -> 'error' ->> 'message';
        exception when sqlstate 'US003' then
            because := sqlerrm;
            report := '{"outcome": "refused"}';
        end;
        if report ->> 'outcome' <> 'done' then
            perform usher.enter(
                part, 'batch', case report ->> 'outcome' when 'failed' then 'failed' else 'refused' end, whole.command, whole.app,
                whole.app_digest, whole.id, due[1]::uuid, whole.root, null,
                position || jsonb_build_object('done', 0, 'refused', gone, 'because', because));
            report := report || jsonb_build_object('done', 0, 'refusals', gone, 'because', because);
        else
            report := report || jsonb_build_object('done', gone, 'refusals', 0);
        end if;
    else
        -- What is secret was recorded nowhere, and is said again each time.
        given := usher.arguments(
            act.definition -> 'parameters',
            coalesce((select jsonb_object_agg(p.value ->> 'name', batch.request -> 'secrets' -> (p.value ->> 'name'))
                        from jsonb_array_elements(act.definition -> 'parameters') p
                       where (p.value ->> 'secret')::boolean), '{}') || coalesce(whole.payload -> 'arguments', '{}'));
        report := usher.part_at_once(whole, app, act.definition, part, due, at, given, position);
        if report is not null then return report; end if;
        due := usher.still_selected(
            act.definition, whole.payload -> 'selections', usher.listed(act.definition, due, at, given), at, given);
        begin
            report := usher.perform(app, act.definition, due, at, given, '{"tolerant": true, "confirmed": true}');
            because := report -> 'error' ->> 'message';
        exception when sqlstate 'US003' then
            because := sqlerrm;
            report := jsonb_build_object('outcome', 'refused', 'refused', '[]'::jsonb);
        end;
        if report ->> 'outcome' = 'done' then
            due := array(select jsonb_array_elements_text(report -> 'subjects'));
            position := position || jsonb_build_object('done', cardinality(due), 'refused', jsonb_array_length(report -> 'refused'));
            perform usher.enter(
                part, 'batch', 'committed', whole.command, whole.app, whole.app_digest, whole.id, null, whole.root,
                usher.users(act.definition, due, at, given),
                usher.said(app, act.definition, usher.environment_name(), due, at, '{}', '{}') || position, report -> 'changes');
        else
            -- What changes nothing is done to those whom nothing is said against.
            gone := case when because is not null then cardinality(due) else jsonb_array_length(report -> 'refused') end;
            position := position || jsonb_build_object(
                'done', case when report ->> 'outcome' = 'nothing' then jsonb_array_length(report -> 'subjects') else 0 end,
                'refused', gone, 'because', because);
            perform usher.enter(
                part, 'batch', case report ->> 'outcome' when 'failed' then 'failed' else 'refused' end, whole.command, whole.app,
                whole.app_digest, whole.id, null, whole.root, null, position);
        end if;
        report := report || jsonb_build_object('done', position -> 'done', 'refusals', position -> 'refused', 'because', because);
    end if;
    return report - 'changes' - 'decisions'
        || jsonb_build_object(
               'changed', coalesce((report ->> 'changed')::bigint, jsonb_array_length(report -> 'changes'), 0), 'operation', part);
end
$$;
create or replace function usher.attempt(id uuid, kind text, outcome text, command text, app text, payload jsonb) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
    if attempt.outcome not in ('refused', 'failed', 'lost') or attempt.kind not in ('change', 'undo', 'erasure', 'restore', 'forget', 'bulk', 'batch', 'end', 'install') then
        raise exception 'an attempt is refused, failed or lost' using errcode = 'US002';
    end if;
    perform usher.enter(
        attempt.id, attempt.kind, attempt.outcome, attempt.command, attempt.app, null, null, null, null, null,
        coalesce(attempt.payload, '{}') || '{"attempt": true}');
    return true;
exception when unique_violation then
    if attempt.outcome <> 'lost' then raise; end if;
    return false;
end
$$;
create or replace function usher.key_column(relation oid, name text) returns table (type text, equals text)
language sql stable set search_path = pg_catalog, pg_temp
as $$
    with recursive domains as (
           select a.atttypid as base, a.attnum
             from pg_attribute a
            where a.attrelid = $1 and a.attname = $2 and a.attnum > 0 and not a.attisdropped
            union all
           select t.typbasetype, d.attnum from domains d join pg_type t on t.oid = d.base where t.typtype = 'd'
    )
    select format_type(d.base, -1),
           coalesce((select format('operator(%I.%s)', n.nspname, o.oprname)
                       from pg_opclass c
                       join pg_am m on m.oid = c.opcmethod and m.amname = 'btree'
                       join pg_amop s on s.amopfamily = c.opcfamily and s.amoplefttype = c.opcintype
                                     and s.amoprighttype = c.opcintype and s.amopstrategy = 3
                       join pg_operator o on o.oid = s.amopopr
                       join pg_namespace n on n.oid = o.oprnamespace
                      where c.opcdefault and c.opcintype = d.base),
                    'operator(pg_catalog.=)')
      from domains d
      join pg_type t on t.oid = d.base and t.typtype <> 'd'
     where exists (select from pg_index i
                    where i.indrelid = $1 and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null
                      and i.indnkeyatts = 1 and i.indkey[0] = d.attnum)
$$;
create or replace function usher.refuse_nobody(keys text[]) returns void
language plpgsql stable
as $$
begin
    if cardinality(keys) = 0 or array_position(keys, null) is not null then
        raise exception 'there is nobody to delete' using errcode = 'invalid_parameter_value';
    end if;
end
$$;
create or replace function usher.account_root(
    root jsonb, app text, out relation oid, out name text,
    out given text, out given_type text, out given_equals text, out key text, out key_type text, out key_equals text,
    out is_declared boolean, out is_operators boolean
)
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
    declared text;
begin
    select c.oid, quote_ident(n.nspname) || '.' || quote_ident(c.relname),
           -- A table that an operator made is evidence for nothing but its own rows.
           not pg_has_role(c.relowner, u.nspowner, 'usage')
               and (pg_has_role(session_user, c.relowner, 'member') and not pg_has_role(session_user, u.nspowner, 'usage')
                    or exists (select from pg_roles r
                                where r.rolname in ('usher_support', 'usher_admin', 'usher_engineer', 'usher_eraser')
                                  and pg_has_role(c.relowner, r.oid, 'usage')))
      into account_root.relation, account_root.name, account_root.is_operators
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join pg_namespace u on u.nspname = 'usher'
     where n.nspname = account_root.root ->> 'schema' and c.relname = account_root.root ->> 'table'
       and c.relkind in ('r', 'p') and c.relpersistence <> 't'
       and n.nspname !~ '^pg_' and n.nspname not in ('usher', 'information_schema');
    if account_root.relation is null then
        raise exception 'there is no table %.% that accounts could hang on',
              account_root.root ->> 'schema', account_root.root ->> 'table' using errcode = 'undefined_table';
    end if;
    select a.definition #>> '{root,key}'
      into declared
      from usher.act a
     where a.kind = 'app' and a.definition #>> '{root,schema}' = account_root.root ->> 'schema'
       and a.definition #>> '{root,table}' = account_root.root ->> 'table'
     order by a.retired_at is null desc, a.app is not distinct from account_root.app desc, a.installed_at desc
     limit 1;
    is_declared := declared is not null;
    account_root.key := coalesce(declared, (
        select a.attname
          from pg_index i
          join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
         where i.indrelid = account_root.relation and i.indisprimary and i.indnkeyatts = 1), account_root.root ->> 'key');
    given := account_root.root ->> 'key';
    select c.type, c.equals into given_type, given_equals from usher.key_column(account_root.relation, given) c;
    select c.type, c.equals into key_type, key_equals from usher.key_column(account_root.relation, account_root.key) c;
    if given_type is null or key_type is null then
        raise exception '% has no column % that identifies a row', account_root.name, given
              using errcode = 'undefined_column';
    end if;
end
$$;
create or replace function usher.take_down(
    id uuid, kind text, outcome text, command text, said jsonb, parent uuid default null, undoes uuid default null,
    root text default null, subjects text[] default null, extra jsonb default '{}'
) returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
    environment constant text := usher.environment_name();
    payload jsonb;
begin
    if take_down.parent is null and environment = 'production' and coalesce(btrim(said ->> 'reason'), '') = '' then
        raise exception 'in production this needs a reason' using errcode = 'invalid_parameter_value';
    end if;
    select coalesce(jsonb_object_agg(s.key, s.value), '{}')
      into payload
      from jsonb_each(said) s
     where s.key in ('target', 'arguments', 'total', 'plan', 'reason', 'ticket', 'because', 'written', 'deletion', 'archive',
                     'outbox', 'files');
    payload := payload || take_down.extra || jsonb_build_object('environment', environment, 'word', 'client');
    perform usher.enter(
        take_down.id, take_down.kind, take_down.outcome, take_down.command, said ->> 'app',
        (select a.digest from usher.act a where a.kind = 'app' and a.app = said ->> 'app' and a.retired_at is null
          order by a.installed_at desc limit 1),
        take_down.parent, take_down.undoes, take_down.root, take_down.subjects, payload);
end
$$;
create or replace function usher.addresses(root jsonb, key text, type text, keys text[]) returns text[]
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
    place record;
    own text[];
    found text[] := '{}';
begin
    for place in
        select distinct quote_ident(e ->> 'schema') || '.' || quote_ident(e ->> 'table') as name, e ->> 'column' as "column",
               c.atttypid::regtype::text as type, e ->> 'key' as key
          from usher.act a
         cross join lateral jsonb_array_elements(a.definition -> 'emails') as e
          join pg_attribute c on c.attrelid = to_regclass(quote_ident(e ->> 'schema') || '.' || quote_ident(e ->> 'table'))
                             and c.attname = e ->> 'key' and c.attnum > 0 and not c.attisdropped
         where a.kind = 'app' and a.retired_at is null and a.definition #>> '{root,schema}' = addresses.root ->> 'schema'
           and a.definition #>> '{root,table}' = addresses.root ->> 'table'
           and a.definition #>> '{root,key}' = addresses.key
    loop
        execute format('select array_agg(distinct t.%I::text) from %s t where t.%I = any ($1::%s[])',
                       place."column", place.name, place.key, place.type)
           into own using addresses.keys;
        found := found || coalesce(array_remove(own, null), '{}');
    end loop;
    return found;
end
$$;
create or replace function usher.empty(
    operation uuid, deletion uuid, root text, keys text[], addresses text[], earlier boolean
) returns bigint
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
    numbers text[];
    parts text[];
    words text;
    about uuid[];
    alone uuid[];
    besides uuid[];
    operations bigint;
    changes bigint;
begin
    -- Words as JSON writes them: as a pattern for LIKE, which settles nearly all, and for the precise search. A bare number
    -- means many things, and counts only where it stands for a user.
    select array_agg(n.needle) filter (where n.is_number),
           array_agg('%' || regexp_replace(n.written, '([\\%_])', '\\\1', 'g') || '%') filter (where not n.is_number),
           '(?<![[:alnum:]._%+-])('
               || string_agg(regexp_replace(n.written, '([^[:alnum:]])', '\\\1', 'g'), '|') filter (where not n.is_number)
               || ')(?![[:alnum:]_-]|[.][[:alnum:]])'
      into numbers, parts, words
      from (select n.needle, n.needle ~ '^[0-9]{1,18}$' as is_number, lower(substr(n.json, 2, length(n.json) - 2)) as written
              from (select n.needle, to_jsonb(n.needle)::text as json
                      from unnest(empty.keys || empty.addresses) as n (needle)) n
             where n.needle <> '') n;
    select coalesce(array_agg(a.id), '{}'), coalesce(array_agg(a.id) filter (where a.named <@ empty.keys), '{}')
      into about, alone
      from (select o.id, o.subjects as named
              from usher.operation o
             where o.root = empty.root and o.subjects && empty.keys
               and o.id <> empty.operation
               and (empty.deletion is null or o.id <> empty.deletion and o.parent is distinct from empty.deletion)
             union all
            select o.id, array(select u.key from jsonb_array_elements_text(
                                      case jsonb_typeof(o.payload -> 'users') when 'array' then o.payload -> 'users' else '[]' end)
                                      as u (key))
              from usher.operation o
             where empty.earlier and o.root is null
               and (o.payload -> 'users' ?| empty.keys or o.payload ->> 'user' = any (empty.keys)
                    or lower(o.payload ->> 'target') in (
                           select lower(n.needle) from unnest(empty.keys || empty.addresses) as n (needle)))
           ) a;
    -- The deletion itself, and changes of so many that they name nobody in particular.
    select coalesce(array_agg(a.id), '{}')
      into besides
      from (select o.id from usher.operation o where o.id = empty.deletion or o.parent = empty.deletion
             union
            select o.id
              from usher.operation o
             where o.root = empty.root
               and o.id in (select s.operation from usher.subject s where s.key = any (empty.keys))) a
     where a.id <> empty.operation;
    update usher.operation o
       set salt = null, payload = null, erased = empty.operation
     where o.id = any (about || besides) and o.payload is not null
       and (o.id = any (about) or lower(o.payload::text) like any (parts) and lower(o.payload::text) ~ words);
    get diagnostics operations = row_count;
    update usher.change c
       set salt = null, payload = null, erased = empty.operation
     where c.operation = any (about) and c.payload is not null
       and (c.operation = any (alone)
            or lower(c.payload::text) like any (parts) and lower(c.payload::text) ~ words
            or c.payload ->> 'user' = any (numbers));
    get diagnostics changes = row_count;
    delete from usher.subject s
     using usher.operation o
     where s.key = any (empty.keys) and o.id = s.operation and o.root = empty.root;
    update usher.operation o
       set subjects = array(select s.key from unnest(o.subjects) with ordinality as s (key, place)
                             where s.key <> all (empty.keys) and o.id is distinct from empty.deletion order by s.place)
     where o.root = empty.root and o.subjects && empty.keys or o.id = empty.deletion;
    return operations + changes;
end
$$;
create or replace function usher.erase(request jsonb, out emptied bigint, out standing bigint, out locks bigint[])
language plpgsql security definer set search_path = pg_catalog, pg_temp set row_security = off
as $$
declare
    id constant uuid := request ->> 'operation';
    deletion constant uuid := request ->> 'parent';
    root record;
    given text[];
    keys text[];
    addresses text[];
begin
    perform usher.refuse_forbidden('usher_eraser', 'account delete');
    -- What is written already may have triggers of the caller wait for the commit.
    if pg_current_xact_id_if_assigned() is not null then
        raise exception 'an erasure is the first thing that its transaction writes'
              using errcode = 'invalid_transaction_state';
    end if;
    if deletion is not null and not exists (
           select from usher.operation o where o.id = deletion and o.kind = 'bulk' and o.command = 'account delete') then
        raise exception 'operation % is no deletion in batches', deletion using errcode = 'insufficient_privilege';
    end if;
    select r.* into root from usher.account_root(request -> 'root', request ->> 'app') r;
    if not (has_schema_privilege((select c.relnamespace from pg_class c where c.oid = root.relation), 'usage')
            and has_column_privilege(root.relation, root.given, 'select')
            and has_column_privilege(root.relation, root.key, 'select')) then
        raise exception 'the owner of the ledger, %, may not read %', current_user, root.name
              using errcode = 'insufficient_privilege', hint = format('grant select on %s to %I', root.name, current_user);
    end if;
    given := usher.keys(request -> 'keys', root.given_type);
    perform usher.refuse_nobody(given);
    -- As the ledger writes them, from the rows themselves.
    execute format('select coalesce(array_agg(distinct t.%I::%s::text), ''{}''), count(*) from %s t where t.%I %s any ($1::%s[])',
                   root.key, root.key_type, root.name, root.given, root.given_equals, root.given_type)
       into keys, standing using given;
    if root.given = root.key then
        -- What is gone already can be forgotten by its key alone.
        keys := array(select k.key from unnest(keys || given) as k (key) group by 1 order by 1);
    elsif standing < cardinality(given) then
        raise exception '% of % rows of % are gone, and nobody knows their %',
              cardinality(given) - standing, cardinality(given), root.name, root.key using errcode = 'no_data_found';
    end if;
    -- Whoever acts on them holds the same.
    locks := usher.locks(null, request -> 'root', '{"subject": "users"}', keys);
    if not usher.holds(locks) then return; end if;
    locks := '{}';
    perform usher.take_down(
        id, 'erasure', 'committed', 'account delete', request, parent := deletion, root := root.name, extra := '{"final": true}');
    addresses := usher.addresses(request -> 'root', root.key, root.key_type, keys);
    emptied := usher.empty(
        id, deletion, root.name, keys, addresses,
        root.is_declared
            or not root.is_operators and not exists (select from usher.act a where a.kind = 'app'));
    insert into usher.erasure (operation, root, "column", type, equals, keys, standing)
    values (id, root.name, root.key, root.key_type, root.key_equals, keys, erase.standing);
end
$$;
create or replace function usher.guard_erasure() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set row_security = off
as $$
declare
    erasure usher.erasure;
    is_at_once boolean;
    written_last bigint;
    written_now bigint;
    stands boolean;
begin
    select e.* into erasure from usher.erasure e where e.operation = new.operation;
    if erasure.gone or erasure.round <> new.round then
        return null;
    end if;
    if erasure.asks then
        update usher.erasure e set at_once = true where e.operation = new.operation;
        return null;
    end if;
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
    execute format('select exists (select from %s t where t.%I %s any ($1::%s[]))',
                   erasure.root, erasure."column", erasure.equals, erasure.type)
       into stands using erasure.keys;
    if stands then
        raise exception 'an erasure of rows of % is open, and they still stand', erasure.root
              using errcode = 'restrict_violation', table = erasure.root,
                    hint = 'delete them, or roll the transaction back';
    end if;
    update usher.erasure e set gone = true, keys = null where e.operation = new.operation;
    perform set_config('transaction_read_only', 'on', true);
    return null;
end
$$;

drop trigger if exists erasure_guard on usher.erasure;

create constraint trigger erasure_guard after insert or update of round on usher.erasure
       deferrable initially deferred for each row execute function usher.guard_erasure();

alter table usher.erasure enable always trigger erasure_guard;
create or replace function usher.part(request jsonb) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    part constant text := request ->> 'part';
    own constant uuid := request ->> 'operation';
    deletion constant uuid := request ->> 'parent';
    undone constant uuid := request ->> 'undoes';
    list constant uuid := request ->> 'list';
    outcome constant text := coalesce(request ->> 'outcome', 'committed');
    root record;
    keys text[];
    is_of_deletion constant boolean := exists (
        select from usher.operation o
         where o.id = deletion and o.parent is null and o.outcome = 'committed'
           and (o.kind = 'erasure' or o.kind = 'bulk' and o.command = 'account delete'));
    is_open constant boolean := is_of_deletion and exists (
        select from usher.operation o
         where (o.id = deletion or o.parent = deletion) and o.kind = 'erasure' and o.transaction = pg_current_xact_id());
begin
    perform usher.refuse_forbidden('usher_eraser', case part when 'restore' then 'account restore' else 'account delete' end);
    if part not in ('begin', 'restore') and not is_of_deletion then
        raise exception 'operation % is no deletion', deletion using errcode = 'insufficient_privilege';
    end if;
    if part <> 'end' and outcome <> 'committed'
       or part = 'end' and outcome not in ('partial', 'refused', 'failed') and (outcome <> 'committed' or not is_open) then
        raise exception 'a part of the kind % has no outcome % here', part, outcome
              using errcode = 'insufficient_privilege';
    end if;
    case part
        when 'begin' then
            select r.* into root from usher.account_root(request -> 'root', request ->> 'app') r;
            keys := usher.keys(request -> 'keys', root.given_type);
            perform usher.refuse_nobody(keys);
            perform usher.take_down(
                own, 'bulk', outcome, 'account delete', request, root := root.name,
                subjects := keys, extra := '{"final": true}');
        when 'batch' then
            perform usher.take_down(own, 'batch', outcome, 'account delete', request, deletion);
        when 'end' then
            perform usher.take_down(own, 'end', outcome, 'account delete', request, deletion);
        when 'archive', 'files' then
            -- The deletion is what writes them.
            if not is_open then
                raise exception 'no deletion of % is open in this transaction', deletion
                      using errcode = 'insufficient_privilege';
            end if;
            perform usher.take_down(
                own, 'batch', outcome,
                case part when 'archive' then 'account delete archive' else 'account delete files' end, request, deletion);
        when 'removed' then
            perform usher.take_down(own, 'forget', outcome, 'account delete files', request, deletion);
            update usher.operation o
               set salt = null, payload = null, erased = own
             where o.id = list and o.parent = deletion and o.kind = 'batch' and o.command = 'account delete files'
               and o.payload is not null;
        when 'restore' then
            -- An archive may come from another database, whose deletion is on record there.
            if exists (select from usher.operation o
                        where o.id = undone and (o.kind <> 'erasure' or o.outcome <> 'committed')) then
                raise exception 'operation % deleted no account', undone
                      using errcode = 'insufficient_privilege';
            end if;
            perform usher.take_down(
                own, 'restore', outcome, 'account restore', request, undoes := undone, extra := '{"final": true}');
        else
            raise exception 'there is no part of the kind %', part using errcode = 'invalid_parameter_value';
    end case;
end
$$;
create or replace function usher.version() returns integer language sql immutable as 'select 3';
do $$
declare
    definer regprocedure;
begin
    for definer in
        select p.oid from pg_catalog.pg_proc p
         where p.pronamespace = 'usher'::pg_catalog.regnamespace and p.prosecdef
    loop
        execute pg_catalog.format('alter function %s set TimeZone = ''UTC''', definer);
        execute pg_catalog.format('alter function %s set DateStyle = ''ISO, YMD''', definer);
        execute pg_catalog.format('alter function %s set IntervalStyle = ''postgres''', definer);
        execute pg_catalog.format('alter function %s set bytea_output = ''hex''', definer);
        execute pg_catalog.format('alter function %s set extra_float_digits = 1', definer);
        execute pg_catalog.format('alter function %s set standard_conforming_strings = on', definer);
        execute pg_catalog.format('alter function %s set transform_null_equals = off', definer);
        execute pg_catalog.format('alter function %s set array_nulls = on', definer);
        execute pg_catalog.format('alter function %s set quote_all_identifiers = off', definer);
        execute pg_catalog.format('alter function %s set gin_fuzzy_search_limit = 0', definer);
        execute pg_catalog.format('alter function %s set lc_monetary = ''C''', definer);
    end loop;
end
$$;
do $$
declare
    grantee text;
    operator text;
begin
    for grantee in
        select distinct case g.grantee when 0 then 'public' else pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(g.grantee)) end
          from (select a.grantee, c.relowner as owner
                  from pg_catalog.pg_class c, pg_catalog.aclexplode(c.relacl) a
                 where c.relnamespace = 'usher'::pg_catalog.regnamespace and c.relkind = 'r'
                 union
                select a.grantee, c.relowner
                  from pg_catalog.pg_class c, pg_catalog.pg_attribute t, pg_catalog.aclexplode(t.attacl) a
                 where c.relnamespace = 'usher'::pg_catalog.regnamespace and c.relkind = 'r' and t.attrelid = c.oid
                 union
                select a.grantee, p.proowner
                  from pg_catalog.pg_proc p, pg_catalog.aclexplode(p.proacl) a
                 where p.pronamespace = 'usher'::pg_catalog.regnamespace
                 union
                select 0, 0) g
         where g.grantee <> g.owner or g.grantee = 0
    loop
        execute 'revoke all on all tables in schema usher from ' || grantee;
        execute 'revoke all on all functions in schema usher from ' || grantee;
    end loop;
    grant select on usher.environment to public;
    grant execute on function usher.version() to public;
    for operator in
        select r.rolname from pg_catalog.pg_roles r
         where r.rolname in ('usher_support', 'usher_admin', 'usher_engineer', 'usher_eraser', 'usher_auditor')
    loop
        execute pg_catalog.format(
            'grant select (id, at, operator, transaction, kind, outcome, command, app, parent, undoes, digest, payload, erased,
                           app_digest, request, root, subjects)
                 on usher.operation to %1$I', operator);
        execute pg_catalog.format(
            'grant select (operation, ordinal, digest, payload, erased) on usher.change to %1$I', operator);
        execute pg_catalog.format('grant select (operation, root, standing, gone) on usher.erasure to %1$I', operator);
        execute pg_catalog.format('grant select on usher.act, usher.subject, usher.seal, usher.sealed to %1$I', operator);
        execute pg_catalog.format('grant execute on function usher.seal(), usher.outcome(uuid) to %1$I', operator);
    end loop;
    for operator in
        select r.rolname from pg_catalog.pg_roles r
         where r.rolname in ('usher_support', 'usher_admin', 'usher_engineer', 'usher_eraser')
    loop
        execute pg_catalog.format(
            'grant execute on function usher.attempt(uuid, text, text, text, text, jsonb) to %1$I', operator);
    end loop;
    for operator in
        select r.rolname from pg_catalog.pg_roles r
         where r.rolname in ('usher_support', 'usher_admin', 'usher_engineer')
    loop
        execute pg_catalog.format(
            'grant execute on function usher.run(jsonb), usher.undo(jsonb), usher.begin(jsonb), usher.batch(jsonb) to %1$I', operator);
    end loop;
    if exists (select from pg_catalog.pg_roles r where r.rolname = 'usher_eraser') then
        grant execute on function usher.erase(jsonb), usher.part(jsonb) to usher_eraser;
    end if;
    if exists (select from pg_catalog.pg_roles r where r.rolname = 'usher_auditor') then
        grant select on all tables in schema usher to usher_auditor;
        grant execute on function usher.outcome(uuid) to usher_auditor;
    end if;
end
$$;
do $$
declare
    held record;
begin
    for held in
        select distinct c.oid::pg_catalog.regclass as relation, a.grantee::pg_catalog.regrole as role
          from pg_catalog.pg_class c
          join pg_catalog.pg_namespace n on n.oid = c.relnamespace
         cross join lateral (
               select x.grantee, x.privilege_type from pg_catalog.aclexplode(c.relacl) x
                union
               select x.grantee, x.privilege_type
                 from pg_catalog.pg_attribute t, pg_catalog.aclexplode(t.attacl) x
                where t.attrelid = c.oid) a
          join pg_catalog.pg_roles r on r.oid = a.grantee
         where c.relkind in ('r', 'p', 'v', 'f') and n.nspname !~ '^pg_'
           and r.rolname in ('usher_support', 'usher_admin', 'usher_engineer')
           and a.privilege_type in ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE')
    loop
        begin
            execute pg_catalog.format('revoke insert, update, delete, truncate on %s from %s', held.relation, held.role);
        exception when insufficient_privilege then null;
        end;
    end loop;
end
$$;
