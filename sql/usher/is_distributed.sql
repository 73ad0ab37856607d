-- Whether Citus keeps the rows of a table, which then lie on other servers or are read as if they did.
create or replace function usher.is_distributed(relation oid) returns boolean
language plpgsql stable
as $$
begin
    if to_regclass('pg_catalog.pg_dist_partition') is null then return false; end if;
    return exists (select from pg_catalog.pg_dist_partition p where p.logicalrelid = is_distributed.relation);
end
$$;
