-- SQL for whether the transaction that stands in a system column of a row is part of this one, and how that stands.
create or replace function usher.is_of_own(shape jsonb, version text, status text) returns text
language sql immutable
as $$
    select case when (shape ->> 'distributed')::boolean
                then replace(replace(o.condition, 'own.x', 'pg_current_xact_id()::xid'), 'own.n', 'pg_current_xact_id()::text::numeric')
                else o.condition end
      from (select format('age(%1$s) <= age(own.x) and pg_xact_status((own.n + age(own.x) - age(%1$s))::text::xid8) = %2$L',
                          is_of_own.version, is_of_own.status)) as o (condition)
$$;
