-- Refuses subjects that the app does not list, or that it listed only until somebody planned this.
create or replace function usher.refuse_strangers(act jsonb, keys text[], at timestamptz, arguments jsonb, plan text) returns void
language plpgsql volatile
as $$
declare
    known constant text[] := usher.listed(act, refuse_strangers.keys, at, arguments);
    stranger text;
begin
    if cardinality(known) = cardinality(refuse_strangers.keys) then return; end if;
    stranger := (select k.key from unnest(refuse_strangers.keys) k (key) where k.key <> all (known) or k.key is null limit 1);
    if plan is null then
        raise exception 'there is no % here', stranger using errcode = 'US004',
              detail = jsonb_build_object('refusal', 'stranger', 'key', stranger)::text;
    end if;
    raise exception '% is gone meanwhile; nothing was changed', stranger using errcode = 'US006',
          detail = jsonb_build_object('refusal', 'gone', 'key', stranger)::text;
end
$$;
