-- The number of open requests that the connected role can approve.
select count(*) as waiting
  from usher.request r
  join usher.operation o on o.id = r.operation
 where r.answer is null and o.operator <> session_user
   and ((select s.rolsuper from pg_roles s where s.rolname = session_user)
        or pg_has_role(session_user, (select n.nspowner from pg_namespace n where n.nspname = 'usher'), 'usage')
        or exists (select from pg_roles a where a.rolname = r.role and pg_has_role(session_user, a.oid, 'usage')))
