-- The table whose rows the subjects of an act are, as far as they are users.
create or replace function usher.root_name(app jsonb) returns text
language sql immutable
as $$ select quote_ident(app -> 'root' ->> 'schema') || '.' || quote_ident(app -> 'root' ->> 'table') $$;
