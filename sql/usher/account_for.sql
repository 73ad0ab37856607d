-- Holds the changes that were found in a table against what the server counted; rows that came and went meanwhile cancel out.
create or replace function usher.account_for(shape jsonb, changes jsonb, counts jsonb, touched integer) returns void
language plpgsql stable
as $$
declare
    inserted constant bigint := (select count(*) from jsonb_array_elements(changes) c where c.value ->> 'kind' = 'insert');
    deleted constant bigint := (select count(*) from jsonb_array_elements(changes) c where c.value ->> 'kind' = 'delete');
begin
    if inserted - deleted = (counts ->> 0)::bigint - (counts ->> 2)::bigint and (counts ->> 1 = '0' or touched > 0) then
        return;
    end if;
    raise exception 'not every change of % can be accounted for', shape ->> 'name'
          using errcode = 'US003',
                hint = format('the server counted %s inserted, %s updated and %s deleted rows; %s new and %s missing ones were found',
                              counts ->> 0, counts ->> 1, counts ->> 2, inserted, deleted);
end
$$;
