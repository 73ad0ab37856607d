-- What a relation is called as a statement writes it: with a star where the rows of its heirs are written too.
create or replace function usher.relation_name(target jsonb) returns text
language sql immutable
as $$ select (target ->> 'schema') || '.' || (target ->> 'name') || case when (target ->> 'heirs')::boolean then ' *' else '' end $$;
