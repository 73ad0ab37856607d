-- The console's own schema: the environment mark and the ledger of operations. It belongs to whoever installs it, and
-- nobody else may write its tables: everything goes through its functions.

-- Where Citus spreads tables, the ledger and its functions are of the server alone that acts are asked of.
select set_config('citus.enable_ddl_propagation', 'off', true);

create schema if not exists usher;

-- The system identifier and the database's oid stay behind when a dump travels, so a mark cannot travel with it.
create table if not exists usher.environment (
    name              text        not null check (name in ('production', 'staging', 'development', 'test')),
    system_identifier bigint      not null,
    database          oid         not null,
    marked_at         timestamptz not null default transaction_timestamp(),
    marked_by         text        not null default session_user
);

-- A mark that says two things says nothing, and stands in the way of one that does.
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
                check (kind in ('change', 'bulk', 'batch', 'end', 'undo', 'erasure', 'forget', 'install')),
    outcome     text        not null,
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
-- What is listed, without the parts of what is done to many.
create index if not exists operation_listed on usher.operation (at)
 where kind not in ('batch', 'end') and (kind <> 'erasure' or parent is null);
create index if not exists operation_transaction on usher.operation (transaction);
-- The last part of its kind is found without the others.
drop index if exists usher.operation_parent;
create index if not exists operation_part on usher.operation (parent, kind, at) where parent is not null;
create index if not exists operation_undoes on usher.operation (undoes) where undoes is not null;
create index if not exists operation_erased on usher.operation (erased) where erased is not null;

-- Which app file an operation was done by, the request it answers, and whom it was about: users of a root table, by key.
-- The keys can be erased like the payload, and are no part of what is sealed.
alter table usher.operation add column if not exists app_digest bytea;
alter table usher.operation add column if not exists request uuid;
alter table usher.operation add column if not exists root text;
alter table usher.operation add column if not exists subjects text[];

-- Lists of keys, in both, are most of what is long in them, and hardly shrink: to try takes as long as all the rest of a part.
alter table usher.operation alter column subjects set storage external, alter column payload set storage external;

-- A condition refuses, an operator declines, a missing role forbids.
alter table usher.operation drop constraint if exists operation_outcome_check;
alter table usher.operation add constraint operation_outcome_check
      check (outcome in ('committed', 'refused', 'declined', 'forbidden', 'failed', 'partial', 'lost'));

create index if not exists operation_subjects on usher.operation using gin (subjects);
-- What was only tried, and what was done before there were subjects, names whom it was about in its payload alone.
create index if not exists operation_users on usher.operation using gin ((payload -> 'users'))
 where subjects is null and payload ? 'users';
-- What they were called by whoever did it, also where nobody found them. A name of any length fits into such an index.
create index if not exists operation_target on usher.operation using hash (lower(payload ->> 'target'))
 where payload ? 'target';

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
    key       text    not null,
    primary key (operation, ordinal)
);

-- Whoever is forgotten leaves the place alone, and which deletion it was, so that what is missing is seen to be missing.
alter table usher.subject alter column key drop not null;
alter table usher.subject add column if not exists erased uuid;

-- What the act on many says of its list, which is sealed, is made of these digests; whoever is forgotten leaves them alone.
alter table usher.subject add column if not exists digest bytea;
alter table usher.subject add column if not exists salt bytea;

create index if not exists subject_erased on usher.subject (erased) where erased is not null;

-- Somebody is looked for by the whole key, and half a million keys in no order cost twice as much to keep in theirs.
drop index if exists usher.subject_key;
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

-- What is wrong with the ledger is not for its own functions to say.
drop function if exists usher.verify(text);
drop function if exists usher.tally();

-- What was done is for the functions that do it to record, and for nobody to say.
drop function if exists usher.record(uuid, text, text, text, text, uuid, uuid, jsonb);
drop function if exists usher.record_changes(uuid, integer, jsonb[]);

-- What takes something else by now, and would stand beside it.
drop function if exists usher.step(text, boolean, text, timestamptz, text[], jsonb, text);
drop function if exists usher.undo_piece(jsonb, uuid, text, text[]);
drop function if exists usher.undo_steps(jsonb, uuid);
drop function if exists usher.refuse_found(jsonb, text);
drop function if exists usher.locks(text, jsonb, jsonb, text[]);
drop function if exists usher.enter_undo(jsonb, usher.operation, jsonb, jsonb, text, text[], timestamptz, jsonb);
drop function if exists usher.enter_undo(jsonb, usher.operation, jsonb, jsonb, text, text[], timestamptz, bigint, jsonb, usher.operation);
drop function if exists usher.taken_back_at_once(jsonb, usher.operation, jsonb, jsonb, text, text[], timestamptz);
drop function if exists usher.update_statement(jsonb, jsonb, jsonb, jsonb, jsonb);
drop function if exists usher.update_statement(jsonb, jsonb, jsonb, jsonb, jsonb, jsonb);
drop function if exists usher.update_statement(jsonb, jsonb, jsonb, jsonb, jsonb, jsonb, boolean);
drop function if exists usher.holds_users(jsonb, oid);
drop function if exists usher.restore_statement(jsonb, jsonb, jsonb, jsonb);
drop function if exists usher.restore_statement(jsonb, jsonb, jsonb, jsonb, jsonb);
drop function if exists usher.update_statement(jsonb, jsonb, jsonb, jsonb, jsonb, jsonb, text);
drop function if exists usher.recorded_update(jsonb, text, jsonb, jsonb, jsonb, jsonb, text);
drop function if exists usher.differences(jsonb, jsonb, jsonb, jsonb, boolean, text);
drop function if exists usher.steps(jsonb, jsonb, jsonb, text, text[], timestamptz, jsonb, text[], text[], jsonb);
drop function if exists usher.fingerprint(jsonb, text);
drop function if exists usher.refuse_strays(jsonb, jsonb);
drop function if exists usher.changed_since(jsonb);
drop function if exists usher.undo_act(usher.operation, jsonb, text[]);
drop function if exists usher.refuse_late();
drop function if exists usher.refuse_temporary();
drop function if exists usher.role_now(usher.act);
drop function if exists usher.addresses(jsonb, text, text, text[]);

grant usage on schema usher to public;
