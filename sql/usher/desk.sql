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
