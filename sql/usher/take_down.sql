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
    types constant jsonb := '{"target": "string", "arguments": "object", "total": "number", "plan": "string", "reason": "string",
                              "ticket": "string", "because": "string", "written": "array", "deletion": "string", "archive": "string",
                              "outbox": "string", "files": "array"}';
    digits constant text := '^[0-9]{1,18}$';
    payload jsonb;
    wrong text;
begin
    perform usher.refuse_long(said);
    select coalesce(jsonb_object_agg(s.key, s.value), '{}'), min(s.key) filter (where jsonb_typeof(s.value) <> t.type)
      into payload, wrong
      from jsonb_each(said) s
      join jsonb_each_text(types) t (name, type) on t.name = s.key
     where s.value <> 'null';
    -- Who continues the deletion adds these numbers up, and asks the store for these files.
    wrong := coalesce(
        wrong,
        (select min(a.key) from jsonb_each(payload -> 'arguments') a
          where jsonb_typeof(a.value) not in ('string', 'number', 'null') or a.key ~ '^(delete|detach) ' and a.value #>> '{}' !~ digits),
        (select 'written' from jsonb_array_elements(payload -> 'written') w
          where (jsonb_typeof(w.value -> 'table'), jsonb_typeof(w.value -> 'removed'), jsonb_typeof(w.value -> 'accepted'),
                 coalesce(jsonb_typeof(w.value -> 'changed'), 'boolean'), w.value ->> 'rows' ~ digits)
                is distinct from ('string', 'boolean', 'boolean', 'boolean', true) limit 1),
        (select 'files' from jsonb_array_elements(payload -> 'files') f
          where (jsonb_typeof(f.value -> 'bucket'), jsonb_typeof(f.value -> 'path'), f.value ->> 'bytes' ~ digits)
                is distinct from ('string', 'string', true) limit 1));
    if wrong is not null then
        raise exception '% of a part of a deletion is not what it has to be', wrong using errcode = 'US002',
              detail = jsonb_build_object('refusal', 'ill_formed', 'name', wrong)::text;
    end if;
    payload := payload || take_down.extra || jsonb_build_object('environment', environment, 'word', 'client');
    perform usher.enter(
        take_down.id, take_down.kind, take_down.outcome, take_down.command, said ->> 'app',
        (select a.digest from usher.act a where a.kind = 'app' and a.app = said ->> 'app' and a.retired_at is null
          order by a.installed_at desc limit 1),
        take_down.parent, take_down.undoes, take_down.root, take_down.subjects, payload,
        request := take_down.answers);
end
$$;
