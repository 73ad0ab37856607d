-- What all acts of the app of an operation share: as it is installed, else as it was last.
create or replace function usher.app_of(operation usher.operation) returns jsonb
language sql stable
as $$
    select coalesce(
        (select a.definition
           from usher.act a
          where a.app = operation.app and a.kind = 'app'
          order by a.retired_at desc nulls first, a.installed_at desc
          limit 1),
        jsonb_build_object('key_type', 'text', 'path', current_setting('search_path'), 'secrets', '[]'::jsonb, 'decisions', '[]'::jsonb))
$$;
