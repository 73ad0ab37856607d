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
