-- Refuses to go on with an act on many between two places where it is not about those with whom it was begun. What was begun
-- before the list was sealed says nothing of it.
create or replace function usher.refuse_other_list(whole usher.operation, low integer, high integer) returns void
language plpgsql stable
as $$
declare
    size constant integer := (whole.payload -> 'list' ->> 'size')::integer;
    found jsonb;
begin
    if size is null then return; end if;
    found := usher.list_digests(whole.id, size, refuse_other_list.low, refuse_other_list.high);
    if exists (select from generate_series((refuse_other_list.low - 1) / size, (refuse_other_list.high - 1) / size) as n (number)
                where found -> n.number::text is distinct from whole.payload -> 'list' -> 'digests' -> n.number::text) then
        raise exception '% is not about those with whom it was begun', whole.id
              using errcode = 'US003', detail = jsonb_build_object('refusal', 'other_list', 'operation', whole.id)::text;
    end if;
end
$$;
