-- The tables of the audit log. The owner of the database owns them, and only the functions of this schema write them.
--
-- The functions raise these SQLSTATEs. The first line of DETAIL is a stable code; the other lines list the affected rows or steps.
--
--   US001  the app file is wrong          US006  another session changed the data
--   US002  the request is wrong           US008  the app file isn't installed
--   US003  the change is refused          US009  the change needs a confirmation
--   US004  the object doesn't exist       US010  rows changed since the operation
--   US005  the caller may not do this
--
-- Functions of this schema raise and catch these SQLSTATEs internally to roll back to a savepoint:
--
--   UA001  the statements were a test run
--   UA003  an action was not done; its report contains the reason
--   UA005  a statement of an action failed; the message is its error, as JSON
--   UA006  usher can't run the batch by one statement, and has to compare its rows one by one

-- With Citus, only the coordinator has the audit log and its functions.
select set_config('citus.enable_ddl_propagation', 'off', true);

-- The server must not check function bodies, because a function may call a function that a later script creates.
select set_config('check_function_bodies', 'off', true);

create schema if not exists usher;

-- The declared environment of this database, with the system identifier and the oid of the database. In a restored copy, one of these
-- differs, so usher doesn't trust the declaration there.
create table if not exists usher.environment (
    name              text        not null check (name in ('production', 'staging', 'development', 'test')),
    system_identifier bigint      not null,
    database          oid         not null,
    marked_at         timestamptz not null default transaction_timestamp(),
    marked_by         text        not null default session_user
);

-- Deletes all environments if there are several, because usher can't know which one is valid. The unique index below allows only one row.
delete from usher.environment where (select count(*) from usher.environment) > 1;

create unique index if not exists environment_is_one_row on usher.environment ((true));

-- The operations that operators ran, tried or began. Only a deletion changes these rows: it sets payloads and salts to NULL and removes the
-- keys of deleted users. The digest stays, so nobody can replace an erased payload. Without the salt, nobody can check a guess of the
-- payload.
create table if not exists usher.operation (
    id          uuid        not null primary key,
    at          timestamptz not null default clock_timestamp(),
    operator    text        not null default session_user,
    transaction xid8        not null default pg_current_xact_id(),
    kind        text        not null
                check (kind in ('change', 'bulk', 'batch', 'end', 'undo', 'erasure', 'restore', 'install', 'request', 'answer', 'note')),
    -- refused: a condition was true, or the operator doesn't have the role. declined: the operator didn't confirm.
    outcome     text        not null
                check (outcome in ('committed', 'refused', 'declined', 'failed', 'partial', 'lost')),
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
    -- The affected users: keys of the table `root`. A deletion erases these keys, so the seal doesn't contain them.
    root        text,
    subjects    text[],
    -- The member `last` of a batch's payload: the ordinal of its last subject. A deletion erases the payload, but not this column.
    last        integer
);

-- Long lists of keys are not compressed. Compression would save little space and double the time of a batch.
alter table usher.operation alter column subjects set storage external, alter column payload set storage external;

create index if not exists operation_at on usher.operation (at);
-- The command `audit list` uses this index; the command shows no batches.
create index if not exists operation_listed on usher.operation (at)
 where kind not in ('batch', 'end') and (kind <> 'erasure' or parent is null);
create index if not exists operation_transaction on usher.operation (transaction);
-- This index finds the last batch of a bulk change.
create index if not exists operation_part on usher.operation (parent, kind, at) where parent is not null;
create index if not exists operation_undoes on usher.operation (undoes) where undoes is not null;
create index if not exists operation_erased on usher.operation (erased) where erased is not null;

create index if not exists operation_subjects on usher.operation using gin (subjects);
-- This index finds attempts by their users, who are only in the payload.
create index if not exists operation_users on usher.operation using gin ((payload -> 'users'))
 where subjects is null and payload ? 'users';
-- This index finds operations by the name of a user as an operator typed it. A hash index allows names of any length.
create index if not exists operation_target on usher.operation using hash (lower(payload ->> 'target'))
 where payload ? 'target';
create index if not exists operation_without_root on usher.operation (id) where root is null;

-- The actions of app files, compiled when a file is installed. usher adds and disables rows (`retired_at`) but never deletes them. So it
-- can still explain operations that ran under an earlier app file. The row of the kind `app` has the definition that all actions of a file
-- share.
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

-- The subjects of a bulk change in their order. usher selects and stores the subjects once, so that operators can resume the bulk change.
create table if not exists usher.subject (
    operation uuid    not null,
    ordinal   integer not null,
    -- The deletion of a user sets `key` to NULL and `erased` to the id of the deletion. So usher can distinguish an erased key from a
    -- removed row.
    key       text,
    erased    uuid,
    -- This digest stays when the user is deleted. The record of the bulk change contains a digest of these digests.
    digest    bytea,
    salt      bytea,
    primary key (operation, ordinal)
);

create index if not exists subject_erased on usher.subject (erased) where erased is not null;

-- This is a hash index, because inserting half a million unsorted keys into a btree takes twice as long.
create index if not exists subject_of on usher.subject using hash (key);

-- For each group of advisory locks, the last transaction that took one of them; see `take_locks`. There are 65,536 groups, so two operators
-- rarely use the same group.
create table if not exists usher.turn (
    slot  integer not null primary key,
    taken xid8    not null
);

-- The last time that `advance_clock` recorded, with its transaction id.
create sequence if not exists usher.snapshot_clock;

-- The rows that an operation changed. The table has no foreign key to the operations, because half a million foreign-key checks would
-- double the time of a bulk change. One function writes both tables.
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

-- The chain of seals. A seal covers every unsealed operation whose transaction is older than all running transactions. So sealing doesn't
-- wait for running transactions, and no operation can later appear that belongs in an earlier seal.
create table if not exists usher.seal (
    number            bigint      not null primary key,
    at                timestamptz not null default clock_timestamp(),
    system_identifier bigint      not null,
    horizon           xid8        not null,
    root              bytea       not null,
    head              bytea       not null
);

-- The digests (`leaf`) of the sealed operations. A digest covers the operation, its changes, and the records that it erased.
create table if not exists usher.sealed (
    operation uuid   not null primary key,
    seal      bigint not null,
    changes   bigint not null,
    leaf      bytea  not null
);

create index if not exists sealed_seal on usher.sealed (seal);

grant usage on schema usher to public;

-- The deletions and restores of accounts. At the commit, `gone` or `back` becomes true, and `keys` becomes NULL.
create table if not exists usher.erasure (
    operation uuid    not null primary key,
    root      text    not null,
    "column"  text    not null,
    type      text    not null,
    equals    text    not null,
    keys      text[],
    -- The number of rows of these users that existed before the deletion or restore.
    standing  bigint  not null,
    gone      boolean not null default false,
    round     integer not null default 0,
    -- `asks` is true while the trigger `erasure_guard` tests if it fires immediately; `at_once` is the result of the test.
    asks      boolean not null default false,
    at_once   boolean not null default false,
    -- True if the rows of a restore exist again; NULL for a deletion.
    back      boolean,
    -- The digests of the keys of the deleted rows, and their salt. All deletions from one table of users share the salt. With the digests,
    -- usher finds deleted users who exist again, and checks if the deletion of a key is recorded.
    salt      bytea,
    deleted   bytea[],
    -- True if usher must check the rows as the operator, because Citus stores them on other servers.
    by_operator boolean not null default false
);

-- The tables of requests and notes. Their texts are in operations of the kinds `request`, `answer` and `note`. usher seals and erases these
-- like all operations.

-- The requests, each with its answer. The answer is the operation that ran the requested change, declined or withdrew the request, or
-- deleted the account.
create table if not exists usher.request (
    operation uuid    not null primary key,
    -- The role that approves the request; `of_two` is true if the action needs two people.
    role      text    not null,
    of_two    boolean not null,
    answer    uuid
);

create index if not exists request_open on usher.request (operation) where answer is null;
create index if not exists operation_request on usher.operation (request) where request is not null;

-- The user of each note.
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

drop type if exists usher.opened, usher.action, usher.single_update, usher.shape, usher.shape_column;

-- A column of a table, for reading and writing its values. `form` is the way in which usher writes its values as JSON (see `usher.form`).
create type usher.shape_column as (
    place        integer,
    name         text,
    sql          text,
    type         text,
    bare_type    text,
    type_oid     bigint,
    form         text,
    is_generated boolean,
    is_settable  boolean,
    in_key       boolean,
    is_secret    boolean
);

-- The description of a table, with SQL expressions for a row `t`. `key` is the row's key as texts (null without a key). `joined` compares
-- this key with an element `e` of a list of keys. `image` is the row as JSON without secrets. `digests` adds digests of the secrets, with
-- the salt $2, to an image. `users` has the columns that say to which user a row belongs, and `is_user` is true if the row itself is a user
-- (see `user_columns`). In the shapes of a change, `is_user` is null if usher doesn't count rows of other users in this table.
create type usher.shape as (
    oid            oid,
    schema         text,
    relation       text,
    name           text,
    sql            text,
    is_temporary   boolean,
    is_partitioned boolean,
    is_distributed boolean,
    columns        usher.shape_column[],
    key            text,
    joined         text,
    digests        text,
    image          text,
    users          text[],
    is_user        boolean
);

-- The table that a batch updates by one statement, the names of the columns that the action usually changes, and the operation that records
-- the changes (see `batch_at_once`).
create type usher.single_update as (
    shape     usher.shape,
    usual     text[],
    operation uuid
);

-- An action, state or setting of an app file, as `definition` of the table `act` describes it, or the undo of an operation. An undo also has
-- the operation that it undoes, and its pieces.
create type usher.action as (
    command    text,
    subject    text,
    noun       text,
    "column"   text,
    key_type   text,
    ceiling    bigint,
    final      boolean,
    judgement  text,
    each       text,
    owners     text,
    named      text,
    listed     text,
    selections jsonb,
    parameters jsonb,
    expects    jsonb,
    impacts    jsonb,
    steps      jsonb,
    undoes     uuid,
    pieces     jsonb
);

-- A requested change after the checks of `open_change`. For an undo, `undone` is the operation to undo, and `act` is only set if the undo
-- runs an action again. `definition` describes the change. `needed` is its role, and `approver` is the
-- role that approves it if it needs two people. `given` has the arguments, `subjects` has the subjects of the request, and `users` the affected users.
create type usher.opened as (
    act         usher.act,
    undone      usher.operation,
    app         jsonb,
    definition  usher.action,
    environment text,
    needed      text,
    approver    text,
    given       jsonb,
    at          timestamptz,
    is_dry      boolean,
    subjects    text[],
    users       text[]
);
