-- Refuses a request that nobody made, or that has its answer.
create or replace function usher.refuse_answered(place usher.request, named text) returns void
language plpgsql stable
as $$
begin
    if place.operation is null then
        raise exception 'there is no request %', named using errcode = 'US004', detail = jsonb_build_object('refusal', 'no_request', 'request', named)::text;
    end if;
    if place.answer is not null then
        raise exception 'request % has its answer already', place.operation
              using errcode = 'US006', detail = jsonb_build_object('refusal', 'answered', 'request', place.operation)::text;
    end if;
end
$$;
