-- Looks for the rows of an erasure as whoever deletes them: in a transaction Citus shows nobody what another role has written.
create or replace function usher.look_as_operator() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
    if new.by_operator then perform usher.refuse_root(new); end if;
    return null;
end
$$;
