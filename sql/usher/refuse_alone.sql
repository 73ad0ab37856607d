-- Refuses what takes two in production, where nobody asked for it. What is only tried, one may do alone.
create or replace function usher.refuse_alone(act usher.act, environment text, request jsonb, is_dry boolean) returns void
language plpgsql stable
as $$
begin
    if is_dry or refuse_alone.environment <> 'production' or act.definition ->> 'approve' is null or request ->> 'request' is not null then
        return;
    end if;
    raise exception 'in production `%` takes two: one who asks for it, and another with the role % who approves it',
          act.definition ->> 'command', act.definition ->> 'approve' using errcode = 'US003',
          detail = jsonb_build_object('refusal', 'takes_two', 'command', act.definition ->> 'command', 'role', act.definition ->> 'approve')::text;
end
$$;
