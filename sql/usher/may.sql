-- Whether whoever connected may do what is for a role. That counts, and not whom the session plays.
create or replace function usher.may(role text) returns boolean
language sql stable
as $$
    select exists (select from pg_roles s where s.rolname = session_user and s.rolsuper)
           or pg_has_role(session_user, current_user, 'usage')
           or exists (select from pg_roles r where r.rolname = may.role and pg_has_role(session_user, r.oid, 'usage'))
$$;
