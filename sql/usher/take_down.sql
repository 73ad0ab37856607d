-- Writes an operation of a deletion or a restoration. What the caller says of it is taken over by name, and marked as that.
create or replace function usher.take_down(
    id uuid, kind text, outcome text, command text, said jsonb, parent uuid default null, undoes uuid default null,
    root text default null, subjects text[] default null, extra jsonb default '{}',
    answers uuid default null
) returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
    environment constant text := usher.environment_for(take_down.kind, said ->> 'reason', take_down.parent is not null);
    payload jsonb;
begin
    select coalesce(jsonb_object_agg(s.key, s.value), '{}')
      into payload
      from jsonb_each(said) s
     where s.key in ('target', 'arguments', 'total', 'plan', 'reason', 'ticket', 'because', 'written', 'deletion', 'archive',
                     'outbox', 'files');
    payload := payload || take_down.extra || jsonb_build_object('environment', environment, 'word', 'client');
    perform usher.enter(
        take_down.id, take_down.kind, take_down.outcome, take_down.command, said ->> 'app',
        (select a.digest from usher.act a where a.kind = 'app' and a.app = said ->> 'app' and a.retired_at is null
          order by a.installed_at desc limit 1),
        take_down.parent, take_down.undoes, take_down.root, take_down.subjects, payload,
        request := take_down.answers);
end
$$;
