-- How many of the changes of an operation are forgotten, together with whom they were about.
create or replace function usher.erased_changes(operation uuid) returns bigint
language sql stable
as $$ select count(*) from usher.change c where c.operation = erased_changes.operation and c.payload is null $$;
