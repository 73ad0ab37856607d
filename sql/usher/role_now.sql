-- The role that an act needs: what the file says that is installed now, or its own where that has no such act.
create or replace function usher.role_now(act usher.act) returns text
language sql stable
as $$
    select coalesce((select i.role from usher.act i
                      where i.app = act.app and i.kind = act.kind and i.name = act.name and i.retired_at is null), act.role)
$$;
