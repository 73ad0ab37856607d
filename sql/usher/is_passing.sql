-- Whether an error says nothing about the statement that met it: a conflict with somebody else, a time-out, a shortage, a
-- lost connection, or a refusal of the functions of this schema.
create or replace function usher.is_passing(state text) returns boolean
language sql immutable
as $$ select left(state, 2) in ('08', '25', '40', '53', '55', '57', 'US', 'UA') $$;
