-- SQL for what is asked of this transaction, once for all rows; where Citus keeps them, each server has one of its own.
create or replace function usher.own_transaction(shape jsonb) returns text
language sql immutable
as $$
    select case when (shape ->> 'distributed')::boolean then ''
                else ' cross join (select pg_current_xact_id()::xid as x, pg_current_xact_id()::text::numeric as n) own' end
$$;
