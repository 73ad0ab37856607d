-- The instant that an act is decided for: when it was planned, which must not be long ago, else that of the transaction.
create or replace function usher.instant(given text) returns timestamptz
language plpgsql stable
as $$
declare
    at constant timestamptz := coalesce(given::timestamptz, transaction_timestamp());
begin
    if at > transaction_timestamp() or at < transaction_timestamp() - interval '5 minutes' then
        raise exception 'an act is decided for now, and not for %', at using errcode = 'US002',
              detail = jsonb_build_object('refusal', 'other_time', 'at', at)::text;
    end if;
    return at;
end
$$;
