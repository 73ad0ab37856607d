-- The role that the act of an operation needs, also for what undid it; what no installed act explains is an engineer's.
create or replace function usher.role_of(operation usher.operation) returns text
language sql stable
as $$ select coalesce(usher.role_now(usher.act_of(operation)), 'usher_engineer') $$;
