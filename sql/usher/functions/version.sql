-- The functions for the version of this schema and for the digest of an installed app file.

-- The digest of an installed app file: its actions, and which of them are enabled.
create or replace function usher.acts(app text, digest bytea) returns text
language sql stable strict
as $$
    select encode(sha256(convert_to(coalesce(jsonb_agg(
               jsonb_build_array(a.kind, a.name, a.role, a.definition, extract(epoch from a.installed_at), a.installed_by, a.retired_at is null)
               order by a.kind collate "C", a.name collate "C"), '[]')::text, 'UTF8')), 'hex')
      from usher.act a
     where a.app = acts.app and a.digest = acts.digest
$$;

-- The version of this schema. The version is a function, because a schema-only dump also contains functions.
create or replace function usher.version() returns integer language sql immutable as 'select 1';
