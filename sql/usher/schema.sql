-- The tables of the audit log. The owner of the database owns them, and only the functions of this schema write them.

-- Where Citus spreads tables, the ledger and its functions are of the server alone that acts are asked of.
select set_config('citus.enable_ddl_propagation', 'off', true);

-- A function may call one that a later script creates.
select set_config('check_function_bodies', 'off', true);

create schema if not exists usher;

-- The system identifier and the database's oid stay behind when a dump travels, so a mark cannot travel with it.
create table if not exists usher.environment (
    name              text        not null check (name in ('production', 'staging', 'development', 'test')),
    system_identifier bigint      not null,
    database          oid         not null,
    marked_at         timestamptz not null default transaction_timestamp(),
    marked_by         text        not null default session_user
);

-- Two environments say nothing, and prevent declaring one.
delete from usher.environment where (select count(*) from usher.environment) > 1;

create unique index if not exists environment_is_one_row on usher.environment ((true));

-- What operators did, tried, or began. Rows are never changed; only usher.erase empties a payload and its salt, and
-- the digest stays: what was erased can neither be read nor guessed, and still cannot be replaced.
create table if not exists usher.operation (
    id          uuid        not null primary key,
    at          timestamptz not null default clock_timestamp(),
    operator    text        not null default session_user,
    transaction xid8        not null default pg_current_xact_id(),
    kind        text        not null
                check (kind in ('change', 'bulk', 'batch', 'end', 'undo', 'erasure', 'restore', 'forget', 'install', 'request', 'answer', 'note')),
    -- A condition refuses, an operator declines, a missing role forbids.
    outcome     text        not null
                check (outcome in ('committed', 'refused', 'declined', 'forbidden', 'failed', 'partial', 'lost')),
    command     text        not null,
    app         text,
    parent      uuid,
    undoes      uuid,
    digest      bytea       not null,
    salt        bytea,
    payload     jsonb,
    erased      uuid,
    -- The app file that the operation ran, and the request that it answers.
    app_digest  bytea,
    request     uuid,
    -- The users whom it concerned: keys of a root table. They can be erased like the payload, and no seal covers them.
    root        text,
    subjects    text[]
);

-- Long lists of keys hardly compress, and trying takes as long as all other work of a batch.
alter table usher.operation alter column subjects set storage external, alter column payload set storage external;

create index if not exists operation_at on usher.operation (at);
-- What is listed, without the parts of what is done to many.
create index if not exists operation_listed on usher.operation (at)
 where kind not in ('batch', 'end') and (kind <> 'erasure' or parent is null);
create index if not exists operation_transaction on usher.operation (transaction);
-- The last part of its kind is found without the others.
create index if not exists operation_part on usher.operation (parent, kind, at) where parent is not null;
create index if not exists operation_undoes on usher.operation (undoes) where undoes is not null;
create index if not exists operation_erased on usher.operation (erased) where erased is not null;

create index if not exists operation_subjects on usher.operation using gin (subjects);
-- An attempt names the users whom it concerned in its payload alone.
create index if not exists operation_users on usher.operation using gin ((payload -> 'users'))
 where subjects is null and payload ? 'users';
-- What they were called by whoever did it, also where nobody found them. A name of any length fits into such an index.
create index if not exists operation_target on usher.operation using hash (lower(payload ->> 'target'))
 where payload ? 'target';
create index if not exists operation_without_root on usher.operation (id) where root is null;

-- What an app file lets operators do, compiled when it was installed. Rows are added and retired, never changed, so that
-- what was done under an earlier file stays explained. The row of the kind `app` holds what all acts of a file share.
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

-- Whom a change of many is about, in the order in which it comes to them: selected once, so that it can be continued.
create table if not exists usher.subject (
    operation uuid    not null,
    ordinal   integer not null,
    -- Forgetting a user empties the key and names the deletion, so that a missing key can be told from a removed row.
    key       text,
    erased    uuid,
    -- The bulk change seals its list by these digests, which forgetting keeps.
    digest    bytea,
    salt      bytea,
    primary key (operation, ordinal)
);

create index if not exists subject_erased on usher.subject (erased) where erased is not null;

-- Somebody is looked for by the whole key, and half a million keys in no order cost twice as much to keep in theirs.
create index if not exists subject_of on usher.subject using hash (key);

-- Whose turn it was last, for each of so many groups of locks that two people hardly ever meet in one. It tells nobody apart.
create table if not exists usher.turn (
    slot  integer not null primary key,
    taken xid8    not null
);

-- A time and a transaction id; see `tick`.
create sequence if not exists usher.snapshot_clock;

-- The rows that an operation changed. No foreign key: the one function that writes them has just looked, and half a
-- million checks would double the time of a bulk change.
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

-- The chain. A seal covers every operation whose transaction was over before all that were running, so nobody waits
-- for anybody, and nothing can appear behind it later.
create table if not exists usher.seal (
    number            bigint      not null primary key,
    at                timestamptz not null default clock_timestamp(),
    system_identifier bigint      not null,
    horizon           xid8        not null,
    root              bytea       not null,
    head              bytea       not null
);

-- What each sealed operation came to, with its changes and with what it erased.
create table if not exists usher.sealed (
    operation uuid   not null primary key,
    seal      bigint not null,
    changes   bigint not null,
    leaf      bytea  not null
);

create index if not exists sealed_seal on usher.sealed (seal);

grant usage on schema usher to public;

-- The erasures and restorations that were opened, and whether what they were opened for came to pass: that the rows of the root
-- went, or came back. The keys stand here as long as the transaction lasts, and no longer.
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
    at_once   boolean not null default false,
    -- Of a restoration whether the rows came back; nothing of an erasure.
    back      boolean,
    -- Digests of the keys of the deleted rows, and their salt, which all erasures of a root share. They show whether a deleted
    -- user exists again, and whose deletion is on record.
    salt      bytea,
    deleted   bytea[],
    -- Whether the person who deletes has to see that the rows are gone, since Citus keeps them.
    by_operator boolean not null default false
);

-- What operators ask of each other, and what they note about users. What was said stands in an operation of the kind
-- `request`, `answer` or `note`, sealed and forgotten like any other; here is what is asked of all of them.

-- A request, until it is answered: by the operation that did it, by one that declined or withdrew it, or by the erasure that
-- forgot it. Nobody answers two times.
create table if not exists usher.request (
    operation uuid    not null primary key,
    -- Who may approve it, and whether the act wants two people.
    role      text    not null,
    of_two    boolean not null,
    answer    uuid
);

create index if not exists request_open on usher.request (operation) where answer is null;
create index if not exists operation_request on usher.operation (request) where request is not null;

-- Whom a note is about.
create table if not exists usher.note (
    operation uuid not null primary key,
    root      text not null,
    key       text not null
);

create index if not exists note_user on usher.note (key, root);

-- Drops the functions that another build of this version installed. The scripts after this one create them again.
drop trigger if exists erasure_guard on usher.erasure;
drop trigger if exists erasure_asks_operator on usher.erasure;
do $$
declare
    function regprocedure;
begin
    for function in select p.oid from pg_catalog.pg_proc p where p.pronamespace = 'usher'::pg_catalog.regnamespace loop
        execute pg_catalog.format('drop routine %s', function);
    end loop;
end
$$;
