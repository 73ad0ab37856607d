-- This server keeps all rows of all tables. Where Citus spreads them over servers, citus.sql replaces these functions.

-- Whether Citus keeps the rows of a table on other servers.
create or replace function usher.is_distributed(relation oid) returns boolean
language sql immutable
as $$ select false $$;

-- What other servers wrote for this transaction. An action refuses if Citus came after usher.
create or replace function usher.counted_by_all(counts jsonb) returns jsonb
language plpgsql volatile
as $$
begin
    if to_regclass('pg_catalog.pg_dist_partition') is not null then
        raise exception 'the extension Citus was added to this database after usher was installed'
              using errcode = 'US008', detail = 'citus_added',
                    hint = 'as the owner of the database, run `usher install` again';
    end if;
    return '{}';
end
$$;

-- Looks for the rows of an erasure as the operator who deletes them.
create or replace function usher.look_as_operator() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$ begin return null; end $$;
