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
    at_once   boolean not null default false
);

-- Of a restoration whether the rows came back; nothing of an erasure.
alter table usher.erasure add column if not exists back boolean;

-- Digests of the keys of the deleted rows, and their salt, which all erasures of a root share. They show whether a deleted user
-- exists again, and whose deletion is on record.
alter table usher.erasure add column if not exists salt bytea;
alter table usher.erasure add column if not exists deleted bytea[];

-- Whether it is for whoever deletes to see that they went, since Citus keeps them.
alter table usher.erasure add column if not exists by_operator boolean not null default false;

-- A restoration is no undo: what came back besides the rows of the root, nobody but the one who restores can say.
alter table usher.operation drop constraint if exists operation_kind_check;
alter table usher.operation add constraint operation_kind_check
      check (kind in ('change', 'bulk', 'batch', 'end', 'undo', 'erasure', 'restore', 'forget', 'install', 'request', 'answer', 'note'));

-- It took whatever anybody wanted to be forgotten.
drop function if exists usher.forget(uuid, text[]);

-- It was handed addresses that it most often had no use for.
drop function if exists usher.empty(uuid, uuid, text, text[], text[], boolean);

-- Operations without a root are looked through for what their payload says.
create index if not exists operation_without_root on usher.operation (id) where root is null;
