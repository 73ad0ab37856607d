-- Refuses a request that nobody made, or that has its answer.
create or replace function usher.refuse_answered(place usher.request, named text) returns void
language plpgsql stable
as $$
begin
    if place.operation is null then
        raise exception 'there is no request %', named using errcode = 'US004', hint = '`usher request list --all` lists them';
    end if;
    if place.answer is not null then
        raise exception 'request % has its answer already', place.operation
              using errcode = 'US006', hint = format('`usher request show %s` says by whom', place.operation);
    end if;
end
$$;
