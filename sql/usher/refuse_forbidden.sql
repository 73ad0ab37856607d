-- Refuses what is for a role that the operator does not have. Who connected counts, and not whom the session plays.
create or replace function usher.refuse_forbidden(role text, command text) returns void
language plpgsql stable
as $$
begin
    if exists (select from pg_roles s where s.rolname = session_user and s.rolsuper)
       or pg_has_role(session_user, current_user, 'usage')
       or exists (select from pg_roles r
                   where r.rolname = refuse_forbidden.role and pg_has_role(session_user, r.oid, 'usage')) then
        return;
    end if;
    raise exception '`%` needs the role %, which % has not', command, refuse_forbidden.role, session_user
          using errcode = 'US005', hint = format('whoever may grant roles can grant it: grant %I to %I', refuse_forbidden.role, session_user);
end
$$;
