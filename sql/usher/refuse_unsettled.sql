-- Refuses to go on with an act on many whose subjects nobody settled: earlier versions found them batch by batch.
create or replace function usher.refuse_unsettled(whole usher.operation) returns void
language plpgsql stable
as $$
begin
    if (whole.payload ->> 'total')::bigint > 0 and not exists (select from usher.subject s where s.operation = whole.id) then
        raise exception '% was begun by an earlier version, which alone could continue it', whole.id
              using errcode = 'US003', detail = jsonb_build_object('refusal', 'earlier_bulk', 'operation', whole.id)::text;
    end if;
end
$$;
