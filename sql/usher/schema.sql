-- The tables of the audit log. The owner of the database owns them, and only the functions of this schema write them.
--
-- SQLSTATEs of the functions. The first line of DETAIL is a stable code; the others name the rows or steps.
--
--   US001  the app file is wrong          US006  somebody else changed it meanwhile
--   US002  the request is wrong           US008  the app file isn't installed
--   US003  refused                        US009  needs confirmation
--   US004  doesn't exist                  US010  rows changed since
--   US005  lacks a role or a right
--
-- Between functions, for rolling back to a savepoint:
--
--   UA001  something was only tried
--   UA003  an action isn't done; its report says why
--   UA005  a statement of an action failed; the message is its error, as JSON
--   UA006  one statement can't do a batch; its rows have to be compared one by one
--   UA007  an action doesn't have its promised effect for some users; the message has them, as JSON

-- With Citus, the audit log and its functions are only on the coordinator.
select set_config('citus.enable_ddl_propagation', 'off', true);

-- A function may call one that a later script creates.
select set_config('check_function_bodies', 'off', true);

create schema if not exists usher;

-- A dump doesn't contain the system identifier and the oid of the database, so a restored copy has no valid environment.
create table if not exists usher.environment (
    name              text        not null check (name in ('production', 'staging', 'development', 'test')),
    system_identifier bigint      not null,
    database          oid         not null,
    marked_at         timestamptz not null default transaction_timestamp(),
    marked_by         text        not null default session_user
);

-- Two environments count as none, and prevent declaring one.
delete from usher.environment where (select count(*) from usher.environment) > 1;

create unique index if not exists environment_is_one_row on usher.environment ((true));

-- What operators did, tried or began. Rows are never changed. Only usher.erase empties a payload and its salt. The digest stays, so an
-- erased payload can't be read, guessed or replaced.
create table if not exists usher.operation (
    id          uuid        not null primary key,
    at          timestamptz not null default clock_timestamp(),
    operator    text        not null default session_user,
    transaction xid8        not null default pg_current_xact_id(),
    kind        text        not null
                check (kind in ('change', 'bulk', 'batch', 'end', 'undo', 'erasure', 'restore', 'install', 'request', 'answer', 'note')),
    -- refused: by a condition. declined: by the operator. forbidden: for lack of a role.
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
    -- The users whom it concerned: keys of a root table. They can be erased like the payload and are not sealed.
    root        text,
    subjects    text[]
);

-- Long lists of keys hardly compress, and compressing takes as long as the rest of a batch.
alter table usher.operation alter column subjects set storage external, alter column payload set storage external;

create index if not exists operation_at on usher.operation (at);
-- For `audit list`, without batches.
create index if not exists operation_listed on usher.operation (at)
 where kind not in ('batch', 'end') and (kind <> 'erasure' or parent is null);
create index if not exists operation_transaction on usher.operation (transaction);
-- For the last batch.
create index if not exists operation_part on usher.operation (parent, kind, at) where parent is not null;
create index if not exists operation_undoes on usher.operation (undoes) where undoes is not null;
create index if not exists operation_erased on usher.operation (erased) where erased is not null;

create index if not exists operation_subjects on usher.operation using gin (subjects);
-- An attempt has its users only in its payload.
create index if not exists operation_users on usher.operation using gin ((payload -> 'users'))
 where subjects is null and payload ? 'users';
-- For the names that an operator typed, also of users who don't exist. A hash index takes a name of any length.
create index if not exists operation_target on usher.operation using hash (lower(payload ->> 'target'))
 where payload ? 'target';
create index if not exists operation_without_root on usher.operation (id) where root is null;

-- The actions of app files, compiled when a file is installed. Rows are added and retired, never changed, so operations under an
-- earlier file can still be explained. The row of the kind `app` has what all actions of a file share.
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

-- The subjects of a bulk change in their order, selected once, so that it can be resumed.
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

-- Users are looked up by the whole key, and half a million keys in no order cost twice as much in a btree.
create index if not exists subject_of on usher.subject using hash (key);

-- The transaction that last took a lock of each of 65,536 groups; see `try_lock`. Two operators hardly ever meet in one group.
create table if not exists usher.turn (
    slot  integer not null primary key,
    taken xid8    not null
);

-- A time and a transaction id; see `tick`.
create sequence if not exists usher.snapshot_clock;

-- The rows that an operation changed. There is no foreign key: only one function writes them, together with the operation, and half a
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

-- The chain. A seal covers every operation whose transaction ended before all that were running. So nobody waits, and no operation
-- can appear later that it should have covered.
create table if not exists usher.seal (
    number            bigint      not null primary key,
    at                timestamptz not null default clock_timestamp(),
    system_identifier bigint      not null,
    horizon           xid8        not null,
    root              bytea       not null,
    head              bytea       not null
);

-- The digest of each sealed operation, with its changes and with what it erased.
create table if not exists usher.sealed (
    operation uuid   not null primary key,
    seal      bigint not null,
    changes   bigint not null,
    leaf      bytea  not null
);

create index if not exists sealed_seal on usher.sealed (seal);

grant usage on schema usher to public;

-- Erasures and restorations, and whether the rows of the root were deleted or are back at the commit. The keys are here only until
-- the transaction ends.
create table if not exists usher.erasure (
    operation uuid    not null primary key,
    root      text    not null,
    "column"  text    not null,
    type      text    not null,
    equals    text    not null,
    keys      text[],
    -- The number of rows that existed when it was opened.
    standing  bigint  not null,
    gone      boolean not null default false,
    round     integer not null default 0,
    -- A round of the guard that finds out when it is called, and the answer.
    asks      boolean not null default false,
    at_once   boolean not null default false,
    -- Whether the rows of a restoration are back; null for an erasure.
    back      boolean,
    -- Digests of the keys of the deleted rows, and their salt, which all erasures of a root share. They show whether a deleted user
    -- exists again, and whether the deletion of a key is on record.
    salt      bytea,
    deleted   bytea[],
    -- Whether the operator has to look for the rows, since Citus keeps them.
    by_operator boolean not null default false
);

-- Requests and notes. Their texts are in operations of the kinds `request`, `answer` and `note`, which are sealed and forgotten like
-- any other.

-- A request, until it has an answer: the operation that did it, that declined or withdrew it, or the erasure that forgot it.
create table if not exists usher.request (
    operation uuid    not null primary key,
    -- The role that approves it, and whether the action takes two people.
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
