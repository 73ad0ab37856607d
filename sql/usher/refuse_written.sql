-- Refuses what is not the first thing that its transaction writes: what is written already may have triggers of the caller wait
-- for the commit.
create or replace function usher.refuse_written() returns void
language plpgsql volatile
as $$
begin
    if pg_current_xact_id_if_assigned() is not null then
        raise exception 'an act is the first thing that its transaction writes' using errcode = 'invalid_transaction_state';
    end if;
end
$$;
