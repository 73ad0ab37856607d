-- Whether statements of an act write a table and cannot say which rows.
create or replace function usher.is_untold(act jsonb, shape jsonb) returns boolean
language sql immutable
as $$
    select exists (select from jsonb_array_elements(is_untold.act -> 'steps') s (of), jsonb_array_elements(s.of -> 'targets') t (of)
                    where s.of ->> 'returning' is null
                      and is_untold.shape -> 'ancestors' ? ((t.of ->> 'schema') || '.' || (t.of ->> 'name')))
$$;
