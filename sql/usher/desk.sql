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

-- They could not say what an operation answers.
drop function if exists usher.refuse_forbidden(text, text);
drop function if exists usher.enter(uuid, text, text, text, text, bytea, uuid, uuid, text, text[], jsonb, jsonb);
drop function if exists usher.take_down(uuid, text, text, text, jsonb, uuid, uuid, text, text[], jsonb);
-- It said less.
drop function if exists usher.own_settings(jsonb);

-- What answers less cannot be replaced by what answers more, nor the other way around.
do $$
begin
    if exists (select from pg_catalog.pg_proc p
                where p.oid = pg_catalog.to_regprocedure('usher.erase(jsonb)') and not 'claim' = any (p.proargnames)) then
        drop function usher.erase(jsonb);
    end if;
    if exists (select from pg_catalog.pg_proc p
                where p.oid = pg_catalog.to_regprocedure('usher.account_root(jsonb,text)') and 'is_operators' = any (p.proargnames)) then
        drop function usher.account_root(jsonb, text);
    end if;
end
$$;
