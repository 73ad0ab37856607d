-- Functions for a database without Citus: this server stores all rows of all tables. In a database with Citus, citus.sql replaces these
-- functions.

-- Returns true if Citus stores the rows of a table on other servers; without Citus always false.
create or replace function usher.is_distributed(relation oid) returns boolean
language sql immutable
as $$ select false $$;

-- Returns true if the operator has to check the rows of a deletion or restore; without Citus always false.
create or replace function usher.is_checked_as_operator(relation oid) returns boolean
language sql immutable
as $$ select false $$;

-- The row counts of other servers for this transaction; empty without Citus. Refuses the action if Citus was added after usher was
-- installed.
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

-- Does nothing without Citus; in citus.sql, this trigger checks the rows of a deletion or restore as the operator.
create or replace function usher.look_as_operator() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$ begin return null; end $$;
