-- The action of the same kind and name that is installed now; null if the installed file of the app has none. The row is locked,
-- like what `find_act` reads.
create or replace function usher.act_now(act usher.act) returns usher.act
language sql volatile
as $$ select i from usher.act i where (i.app, i.kind, i.name) = (act.app, act.kind, act.name) and i.retired_at is null for share $$;
