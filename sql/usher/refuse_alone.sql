-- Refuses an action that takes two people in production if nobody requested it: as the action is installed now, or as it was.
-- A preview takes one.
create or replace function usher.refuse_alone(act usher.act, environment text, request jsonb, is_dry boolean) returns void
language plpgsql volatile
as $$
declare
    installed constant usher.act := usher.act_now(act);
    approver constant text := case when installed.app is null then act.definition else installed.definition end ->> 'approve';
begin
    if is_dry or refuse_alone.environment <> 'production' or approver is null or request ->> 'request' is not null then
        return;
    end if;
    raise exception 'in production `%` takes two: one who asks for it, and another with the role % who approves it',
          act.definition ->> 'command', approver using errcode = 'US003',
          detail = jsonb_build_object('refusal', 'takes_two', 'command', act.definition ->> 'command', 'role', approver)::text;
end
$$;
