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
                detail = jsonb_build_object('refusal', 'unaccounted', 'table', shape ->> 'name', 'counted', counts, 'found', jsonb_build_array(inserted, deleted))::text;
end
$$;
