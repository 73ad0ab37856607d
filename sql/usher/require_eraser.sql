-- Refuses whoever may not delete accounts: only the role for it may, and whoever can act for the owner of the ledger.
create or replace function usher.require_eraser() returns void
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
    if not exists (select from pg_namespace n
                    where n.nspname = 'usher' and pg_has_role(session_user, n.nspowner, 'usage'))
       and not exists (select from pg_roles r
                        where r.rolname = 'usher_eraser' and pg_has_role(session_user, r.oid, 'usage')) then
        raise exception 'deleting and restoring accounts needs the role usher_eraser'
              using errcode = 'insufficient_privilege', hint = format('grant usher_eraser to %I', session_user);
    end if;
end
$$;
