-- The console's own schema. Its owner alone may write the mark; everybody may read it.

create schema if not exists usher;

-- The system identifier and the database's oid stay behind when a dump travels, so a mark cannot travel with it.
create table if not exists usher.environment (
    name              text        not null check (name in ('production', 'staging', 'development', 'test')),
    system_identifier bigint      not null,
    database          oid         not null,
    marked_at         timestamptz not null default transaction_timestamp(),
    marked_by         text        not null default session_user
);

create unique index if not exists environment_is_one_row on usher.environment ((true));

grant usage on schema usher to public;

grant select on usher.environment to public;
