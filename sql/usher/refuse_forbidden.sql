-- Refuses what is for a role that the operator does not have, and says how it is asked for, where it can be and is not yet.
create or replace function usher.refuse_forbidden(role text, command text, answers text default null) returns void
language plpgsql stable
as $$
begin
    if usher.may(refuse_forbidden.role) then return; end if;
    raise exception '`%` needs the role %, which % has not', command, refuse_forbidden.role, session_user
          using errcode = 'US005',
                detail = jsonb_build_object(
                    'refusal', 'forbidden', 'command', command, 'role', refuse_forbidden.role, 'user', session_user,
                    'may_ask', refuse_forbidden.role = any ('{usher_support,usher_admin,usher_engineer}') and refuse_forbidden.answers is null,
                    'remedy', format('grant %I to %I', refuse_forbidden.role, session_user))::text;
end
$$;
