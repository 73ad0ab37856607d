-- The role that the action of an operation needs, also for what undid it: the role that is installed now, or the one that was. If
-- no installed file explains the operation, that is an engineer's.
create or replace function usher.role_of(operation usher.operation) returns text
language sql volatile
as $$ select coalesce((usher.act_now(a)).role, a.role, 'usher_engineer') from usher.act_of(operation) a $$;
