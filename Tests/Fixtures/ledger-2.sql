-- The schema `usher` as version 2 made it.
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
grant usage on schema usher to public;
grant select on usher.environment to public;
create or replace function usher.record(
    id uuid, kind text, outcome text, command text, app text, parent uuid, undoes uuid, payload jsonb
) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    fresh constant bytea := uuid_send(gen_random_uuid());
    said constant jsonb := coalesce(record.payload, '{}');
begin
    if jsonb_typeof(said) <> 'object' then
        raise exception 'the payload of an operation is an object' using errcode = 'invalid_parameter_value';
    end if;
    insert into usher.operation as o (id, kind, outcome, command, app, parent, undoes, digest, salt, payload)
    values (record.id, record.kind, record.outcome, record.command, record.app, record.parent, record.undoes,
            sha256(fresh || convert_to(said::text, 'UTF8')), fresh, said)
        on conflict on constraint operation_pkey do nothing;
    if not found and record.outcome <> 'lost' then
        raise exception 'operation % is already recorded', record.id using errcode = 'unique_violation';
    end if;
    return found;
end
$$;
create or replace function usher.record_changes(operation uuid, first_ordinal integer, payloads jsonb[])
returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    seed constant bytea := uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());
    written integer;
begin
    perform from usher.operation o
      where o.id = record_changes.operation and o.transaction = pg_current_xact_id();
    if not found then
        raise exception 'operation % was not recorded by this transaction', record_changes.operation
              using errcode = 'insufficient_privilege';
    end if;
    insert into usher.change (operation, ordinal, digest, salt, payload)
    select record_changes.operation, c.ordinal, sha256(c.salt || convert_to(c.payload::text, 'UTF8')), c.salt, c.payload
      from (select first_ordinal + p.place::integer - 1 as ordinal,
                   substr(sha256(seed || int8send(p.place)), 1, 16) as salt,
                   p.payload
              from unnest(payloads) with ordinality as p (payload, place)
            offset 0) c;
    get diagnostics written = row_count;
    return written;
end
$$;
create or replace function usher.leaf(o usher.operation, out changes bigint, out leaf bytea)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select c.changes,
           sha256(convert_to(jsonb_build_array(
               o.id, extract(epoch from o.at), o.operator, o.transaction::text, o.kind, o.outcome, o.command, o.app,
               o.parent, o.undoes, encode(o.digest, 'hex'), c.changes, encode(c.root, 'hex'),
               e.changes, encode(e.root, 'hex'))::text, 'UTF8'))
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
language plpgsql security definer set search_path = pg_catalog, pg_temp
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
        when l.kind = 'bulk'
        then case when (select bool_and(usher.outcome(b.id) = 'undone') from usher.operation b
                         where b.parent = l.id and b.kind = 'batch' and b.outcome = 'committed')
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
create or replace function usher.forget(operation uuid, needles text[]) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    numbers text[];
    parts text[];
    words text;
    operations bigint;
    changes bigint;
begin
    perform from usher.operation o
      where o.id = forget.operation and o.kind in ('erasure', 'forget') and o.transaction = pg_current_xact_id();
    if not found then
        raise exception 'operation % is no erasure that this transaction recorded', forget.operation
              using errcode = 'insufficient_privilege';
    end if;
    select array_agg(n.needle) filter (where n.is_number),
           array_agg('%' || regexp_replace(n.written, '([\\%_])', '\\\1', 'g') || '%') filter (where not n.is_number),
           '(?<![[:alnum:]._%+-])('
               || string_agg(regexp_replace(n.written, '([^[:alnum:]])', '\\\1', 'g'), '|') filter (where not n.is_number)
               || ')(?![[:alnum:]_-]|[.][[:alnum:]])'
      into numbers, parts, words
      from (select n.needle, n.needle ~ '^[0-9]{1,18}$' as is_number, lower(substr(n.json, 2, length(n.json) - 2)) as written
              from (select n.needle, to_jsonb(n.needle)::text as json from unnest(needles) as n (needle)) n
             where n.needle <> '') n;
    update usher.operation o
       set salt = null, payload = null, erased = forget.operation
     where o.id <> forget.operation
       and (lower(o.payload::text) like any (parts) and lower(o.payload::text) ~ words
            or o.payload ->> 'user' = any (numbers) or o.payload ->> 'target' = any (numbers)
            or o.payload -> 'users' ?| numbers);
    get diagnostics operations = row_count;
    update usher.change c
       set salt = null, payload = null, erased = forget.operation
     where c.operation <> forget.operation
       and (lower(c.payload::text) like any (parts) and lower(c.payload::text) ~ words
            or c.payload ->> 'user' = any (numbers));
    get diagnostics changes = row_count;
    return operations + changes;
end
$$;
create or replace function usher.verify(head text default null)
returns table (problem text, operation uuid, detail text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    with
    chain as (
        select s.number, s.horizon, s.system_identifier, s.root, s.head,
               usher.head(s, lag(s.head) over (order by s.number)) as expected,
               lag(s.number, 1, 0::bigint) over (order by s.number) as previous
          from usher.seal s
    ),
    rows as (
        select o.id as operation, null::integer as ordinal, o.digest, o.salt, o.payload, o.erased from usher.operation o
         union all
        select c.operation, c.ordinal, c.digest, c.salt, c.payload, c.erased from usher.change c
    ),
    present as (
        select o.id, o.transaction, s.seal, s.changes as sealed_changes, s.leaf as sealed_leaf, l.changes, l.leaf
          from usher.operation o
          left join usher.sealed s on s.operation = o.id
          left join lateral usher.leaf(o) l on s.operation is not null
    )
    select 'payload', r.operation, format('the payload of %s is not what was recorded', coalesce('change ' || r.ordinal, 'the operation'))
      from rows r
     where r.payload is not null and r.digest is distinct from sha256(r.salt || convert_to(r.payload::text, 'UTF8'))
     union all
    select 'payload', r.operation, format('the payload of %s is gone, and no erasure says so', coalesce('change ' || r.ordinal, 'the operation'))
      from rows r
     where r.payload is null
       and not exists (select from usher.operation o where o.id = r.erased and o.kind in ('erasure', 'forget'))
     union all
    select 'change', c.operation, format('%s changes belong to no operation', count(*))
      from usher.change c
     where not exists (select from usher.operation o where o.id = c.operation)
     group by c.operation
     union all
    select 'operation', p.id,
           case when p.changes <> p.sealed_changes
                then format('%s changes where %s were sealed', p.changes, p.sealed_changes)
                else 'the operation, one of its changes or what it erased is not what was sealed' end
      from present p
     where p.leaf <> p.sealed_leaf or p.changes <> p.sealed_changes
     union all
    select 'operation', s.operation, format('sealed by seal %s, and gone', s.seal)
      from usher.sealed s
     where not exists (select from usher.operation o where o.id = s.operation)
     union all
    select 'operation', p.id, 'older than the last seal, which does not know it'
      from present p
      join (select c.* from chain c order by c.number desc limit 1) c on true
     where p.seal is null and p.transaction < c.horizon
       and c.system_identifier = (select s.system_identifier from pg_control_system() s)
     union all
    select 'seal', null, format('seal %s is not what it was made of', c.number)
      from chain c
     where c.root is distinct from usher.root(c.number)
     union all
    select 'seal', null, format('seal %s does not follow from the one before it', c.number)
      from chain c
     where c.number <> c.previous + 1 or c.head <> c.expected
     union all
    select 'seal', null, format('seal %s is gone', s.seal)
      from usher.sealed s
     where not exists (select from usher.seal e where e.number = s.seal)
     group by s.seal
     union all
    select 'head', null, 'no seal has the head that was kept'
     where head is not null and not exists (select from usher.seal s where s.head = decode(lower(verify.head), 'hex'))
$$;
create or replace function usher.tally(
    out operations bigint, out changes bigint, out unsealed bigint, out erased bigint, out seals bigint, out head text
)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select (select count(*) from usher.operation),
           (select count(*) from usher.change),
           (select count(*) from usher.operation o
             where not exists (select from usher.sealed s where s.operation = o.id)),
           (select count(*) from usher.operation o where o.erased is not null)
               + (select count(*) from usher.change c where c.erased is not null),
           (select count(*) from usher.seal),
           (select encode(s.head, 'hex') from usher.seal s order by s.number desc limit 1)
$$;
create or replace function usher.version() returns integer language sql immutable as 'select 2';
do $$
declare
    grantee text;
    operator text;
begin
    for grantee in
        select distinct case a.grantee when 0 then 'public' else pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee)) end
          from pg_catalog.pg_class c, pg_catalog.aclexplode(c.relacl) a
         where c.relnamespace = 'usher'::pg_catalog.regnamespace and c.relkind = 'r' and a.grantee <> c.relowner
    loop
        execute 'revoke insert, update, delete, truncate, references, trigger on all tables in schema usher from ' || grantee;
    end loop;
    revoke all on all functions in schema usher from public;
    grant execute on function usher.version() to public;
    for operator in
        select r.rolname from pg_catalog.pg_roles r
         where r.rolname in ('usher_support', 'usher_admin', 'usher_engineer')
    loop
        execute pg_catalog.format(
            'grant select (id, at, operator, transaction, kind, outcome, command, app, parent, undoes, digest, payload, erased)
                 on usher.operation to %1$I', operator);
        execute pg_catalog.format(
            'grant select (operation, ordinal, digest, payload, erased) on usher.change to %1$I', operator);
        execute pg_catalog.format('grant select on usher.seal, usher.sealed to %1$I', operator);
        execute pg_catalog.format(
            'grant execute on function
                 usher.record(uuid, text, text, text, text, uuid, uuid, jsonb),
                 usher.record_changes(uuid, integer, jsonb[]),
                 usher.seal(), usher.outcome(uuid), usher.verify(text), usher.tally() to %1$I', operator);
    end loop;
    if exists (select from pg_catalog.pg_roles r where r.rolname = 'usher_admin') then
        grant execute on function usher.forget(uuid, text[]) to usher_admin;
    end if;
end
$$;
