-- The version of this schema, and what it has installed.

-- The digest of an app file as it is installed: its actions, and which of them are in force.
create or replace function usher.acts(app text, digest bytea) returns text
language sql stable strict
as $$
    select encode(sha256(convert_to(coalesce(jsonb_agg(
               jsonb_build_array(a.kind, a.name, a.role, a.definition, extract(epoch from a.installed_at), a.installed_by, a.retired_at is null)
               order by a.kind collate "C", a.name collate "C"), '[]')::text, 'UTF8')), 'hex')
      from usher.act a
     where a.app = acts.app and a.digest = acts.digest
$$;

-- The version of this schema; a number in a function travels with every kind of dump.
create or replace function usher.version() returns integer language sql immutable as 'select 1';
