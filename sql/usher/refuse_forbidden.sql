-- Refuses what is for a role that the operator does not have, and says how it is asked for, where it can be and is not yet.
create or replace function usher.refuse_forbidden(role text, command text, answers text default null) returns void
language plpgsql stable
as $$
begin
    if usher.may(refuse_forbidden.role) then return; end if;
    raise exception '`%` needs the role %, which % has not', command, refuse_forbidden.role, session_user
          using errcode = 'US005',
                hint = case when refuse_forbidden.role in ('usher_support', 'usher_admin', 'usher_engineer') and refuse_forbidden.answers is null
                            then 'the same command with --ask asks for it; or ' else '' end
                       || format('whoever may grant roles can grant it: grant %I to %I', refuse_forbidden.role, session_user);
end
$$;
