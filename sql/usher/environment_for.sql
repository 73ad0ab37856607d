-- The environment that an act runs in, unless that forbids it: test states are for test databases, and in production somebody
-- has to say why.
create or replace function usher.environment_for(kind text, reason text, is_dry boolean) returns text
language plpgsql volatile
as $$
declare
    environment constant text := usher.environment_name();
begin
    if environment = 'production' and environment_for.kind = 'state' then
        raise exception 'test states are impossible in production' using errcode = 'US003', detail = jsonb_build_object('refusal', 'no_states')::text;
    end if;
    -- What has no sign that could be of a word says nothing, in whatever script.
    if environment = 'production' and not is_dry and coalesce(reason, '') !~ '[^[:space:][:punct:][:cntrl:]\u00a0\u2000-\u206f\u3000\ufeff]' then
        raise exception 'a change in production needs a reason' using errcode = 'US003', detail = jsonb_build_object('refusal', 'needs_reason')::text;
    end if;
    return environment;
end
$$;
