-- Refuses to ask others for what one may do oneself.
create or replace function usher.refuse_needless(command text) returns void
language plpgsql stable
as $$
begin
    raise exception 'you may do this yourself: `%` needs nobody else', command using errcode = 'US003',
          detail = jsonb_build_object('refusal', 'needless', 'command', command)::text;
end
$$;
