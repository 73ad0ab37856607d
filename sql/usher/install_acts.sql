-- Replaces the installed actions of an app by the actions of its app file, given as JSON. If the same file was installed before, the script
-- enables its existing rows again. The script records the search path, the text-search configuration and the extension settings of an
-- ordinary session, because the app file was written for these.
with file as materialized (
    select f.app, decode(f.digest, 'hex') as digest, f.acts
      from jsonb_to_record($1::jsonb) as f (app text, digest text, acts jsonb)
),
given as materialized (
    select f.app, f.digest, a.kind, a.name, a.role,
           case a.kind
           when 'app' then (select jsonb_build_object(
                                       'path', max(s.reset_val) filter (where s.name = 'search_path'),
                                       'standing', jsonb_build_object(
                                           'default_text_search_config',
                                           max(s.reset_val) filter (where s.name = 'default_text_search_config')) || usher.registered(),
                                       'extensions', (select jsonb_agg(e.extname || ' ' || e.extversion order by e.extname) from pg_extension e))
                              from pg_settings s where s.name in ('search_path', 'default_text_search_config'))
           else '{}' end || a.definition as definition
      from file f, jsonb_to_recordset(f.acts) as a (kind text, name text, role text, definition jsonb)
),
renewed as (
    -- Each action locks this row, so an action with an older snapshot fails.
    update usher.environment set name = name
),
retired as (
    update usher.act a
       set retired_at = clock_timestamp()
      from file f
     where a.app = f.app and a.retired_at is null
       and not exists (select from given g where (g.digest, g.kind, g.name) = (a.digest, a.kind, a.name))
)
insert into usher.act as a (app, digest, kind, name, role, definition)
select g.app, g.digest, g.kind, g.name, g.role, g.definition
  from given g
    on conflict (app, digest, kind, name) do update
   set role = excluded.role, definition = excluded.definition, installed_at = excluded.installed_at,
       installed_by = excluded.installed_by, retired_at = null
 where (a.role, a.definition, a.retired_at is null) is distinct from (excluded.role, excluded.definition, true)
