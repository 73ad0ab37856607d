-- Refuses to write what nobody could account for.
create or replace function usher.refuse_obstacle(obstacle text, place text) returns void
language plpgsql stable
as $$
begin
    if obstacle = 'foreign' then
        raise exception '% is a foreign table: this server neither counts its rows nor knows what they were; nothing was changed', place
              using errcode = 'US003', detail = jsonb_build_object('refusal', 'foreign_table', 'table', place)::text;
    elsif obstacle = 'ledger' then
        raise exception '% is the record of what was done, which no app may write; nothing was changed', place
              using errcode = 'US003', detail = jsonb_build_object('refusal', 'ledger_table', 'table', place)::text;
    end if;
end
$$;
