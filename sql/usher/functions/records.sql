-- The functions that write operations to the audit log.

-- Records one operation with its changes. If `request` is given, the operation answers this request. The function sets the operator, the
-- time and the transaction itself, so that no caller can fake them.
create or replace function usher.record(
    id uuid, kind text, outcome text, command text, app text, app_digest bytea, parent uuid, undoes uuid, root text,
    subjects text[], payload jsonb, changes jsonb default '[]', request uuid default null
) returns void
language plpgsql volatile
as $$
declare
    salt constant bytea := uuid_send(gen_random_uuid());
    salts constant bytea := usher.salts(jsonb_array_length(record.changes));
    -- The affected users who are not in the payload's list of users.
    others constant text[] := case when record.payload -> 'users' = to_jsonb(record.subjects) then '{}'
                                   when jsonb_typeof(record.payload -> 'users') = 'array' then array(
        -- The server hashes the subselect once, but would search a JSON array for each key.
        select s.key from unnest(record.subjects) with ordinality as s (key, place)
         where s.key not in (select u.key from jsonb_array_elements_text(record.payload -> 'users') u (key) where u.key is not null)
         order by s.place) else '{}' end;
    said constant jsonb := jsonb_strip_nulls(
        record.payload || jsonb_build_object('others', case when others <> '{}' then to_jsonb(others) end));
begin
    -- The seal of many operations is one document of limited size, so a single operation must stay small.
    if octet_length(concat(record.command, record.app)) > 2000 then
        raise exception 'the names of the command and of the app can''t be longer than 2000 bytes together' using errcode = 'US002', detail = 'long_attempt';
    end if;
    -- The seal contains the command and the app as UTF-8. A text that can't be converted must fail here, because otherwise sealing would
    -- fail.
    perform convert_to(concat(record.command, record.app), 'UTF8');
    -- The statement sets every column, so no default of a column applies.
    insert into usher.operation (id, at, operator, transaction, kind, outcome, command, app, app_digest, parent, undoes, request, root, subjects,
                                 last, digest, salt, payload)
    values (record.id, clock_timestamp(), session_user, pg_current_xact_id(), record.kind, record.outcome, record.command, record.app, record.app_digest, record.parent, record.undoes, record.request,
            record.root, record.subjects,
            (said ->> 'last')::integer, sha256(salt || convert_to(said::text, 'UTF8')), salt, said);
    insert into usher.change (operation, ordinal, digest, salt, payload)
    select record.id, c.ordinal, sha256(c.salt || convert_to(c.payload::text, 'UTF8')), c.salt, c.payload
      from (select (r.place - 1)::integer as ordinal,
                   substr(salts, (r.place * 16 - 15)::integer, 16) as salt,
                   jsonb_build_object('table', r.value -> 'table', 'key', r.value -> 'key', 'before', r.value -> 'before',
                                      'after', r.value -> 'after')
                   || case when r.value ->> 'kind' <> 'insert' and r.value -> 'secrets' <> '[]'
                           then jsonb_build_object('secrets', r.value -> 'secrets') else '{}' end
                   || case when r.value ->> 'users' is not null then jsonb_build_object('users', r.value -> 'users') else '{}' end as payload
              from jsonb_array_elements(record.changes) with ordinality as r (value, place)
            offset 0) c;
    if record.request is not null then
        update usher.request r set answer = record.id where r.operation = record.request;
    end if;
end
$$;

-- The payload of an action in the audit log: its users or objects, arguments and reason, but not its changes. Users appear with their
-- email.
create or replace function usher.ledger_payload(
    app jsonb, act usher.action, environment text, keys text[], at timestamptz, arguments jsonb, request jsonb
) returns jsonb
language sql volatile
as $$
    select jsonb_build_object(
        'target', coalesce(nullif(usher.labelled(app, act.subject, ledger_payload.keys, ledger_payload.at), ''),
                           nullif(concat_ws(' ', ledger_payload.arguments ->> 'key', act."column"), '')),
        'users', case when act.subject = 'users' then to_jsonb(ledger_payload.keys) end,
        -- An undo locks at most a hundred objects, so the payload doesn't record more.
        'objects', case when act.subject = 'object' and cardinality(ledger_payload.keys) between 1 and 100 then to_jsonb(ledger_payload.keys) end,
        'arguments', nullif(shown.arguments, '{}'),
        'reason', request -> 'reason', 'ticket', request -> 'ticket', 'environment', environment,
        'final', case when act.final then true end)
      from (select coalesce(jsonb_object_agg(
                       a.key, coalesce(case when p.of ->> 'names' = 'users' and a.value <> 'null'
                                            then to_jsonb(usher.labelled(app, 'users', array[a.value #>> '{}'], ledger_payload.at)) end,
                                       a.value)) filter (where a.value <> 'null'), '{}') as arguments
              from jsonb_each(ledger_payload.arguments) a
              left join jsonb_array_elements(act.parameters) as p (of) on p.of ->> 'name' = a.key
             where (p.of ->> 'secret')::boolean is not true) shown
$$;

-- The arguments of an action that are not secret.
create or replace function usher.plain(act usher.action, arguments jsonb) returns jsonb
language sql immutable
as $$
    select coalesce(jsonb_object_agg(a.key, a.value), '{}')
      from jsonb_each(plain.arguments) a
     where not exists (select from jsonb_array_elements(act.parameters) p
                        where p.value ->> 'name' = a.key and (p.value ->> 'secret')::boolean)
$$;

-- The arguments of an action: the given values, else the defaults of the parameters. Refuses undeclared arguments, and values with a wrong
-- type, out of range, or not among the choices.
create or replace function usher.arguments(parameters jsonb, given jsonb) returns jsonb
language plpgsql stable
as $$
declare
    parameter jsonb;
    name text;
    value text;
    -- The code and the reason.
    obstacle text[];
    found jsonb := '{}';
begin
    select min(g.name) into name
      from jsonb_object_keys(coalesce(nullif(given, 'null'), '{}')) g (name)
     where not exists (select from jsonb_array_elements(parameters) p where p.value ->> 'name' = g.name);
    if name is not null then
        raise exception 'the action has no argument %', name using errcode = 'US002', detail = 'no_argument';
    end if;
    for parameter in select p.value from jsonb_array_elements(parameters) p loop
        name := parameter ->> 'name';
        value := case when given ? name then given ->> name else parameter ->> 'default' end;
        if value is null then
            obstacle := case when not (parameter ->> 'optional')::boolean then array['no_value', 'is missing'] end;
        elsif parameter -> 'choices' <> '[]' and not parameter -> 'choices' ? value then
            obstacle := array['not_among', 'must be one of ' || array_to_string(array(select jsonb_array_elements_text(parameter -> 'choices')), ', ')];
        else
            begin
                -- The same value can be typed in several forms, and words such as tomorrow change their meaning, so usher uses the printed
                -- form.
                execute format('select ($1::%s)::text', case when (parameter ->> 'secret')::boolean then 'text' else parameter ->> 'type' end)
                   into value using value;
                if parameter ->> 'low' is not null and value::numeric not between (parameter ->> 'low')::numeric and (parameter ->> 'high')::numeric then
                    obstacle := array['out_of_range', format('must be from %s to %s', parameter ->> 'low', parameter ->> 'high')];
                end if;
            exception when data_exception or undefined_object or check_violation then
                obstacle := array['not_of_type', 'is not a valid ' || (parameter ->> 'type')];
            end;
        end if;
        if obstacle is not null then
            raise exception 'the argument % %', name, obstacle[2] using errcode = 'US002', detail = obstacle[1];
        end if;
        found := found || jsonb_build_object(name, value);
    end loop;
    return found;
end
$$;

-- Calls a function of this schema and returns its result, or its refusal as {state, message, detail, hint}. A refusal is rolled back like
-- an error, but doesn't appear in the server's log. Runs with the rights of the caller.
create or replace function usher.call(function text, request jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp
as $$
declare
    answer jsonb;
    facts text;
    hint text;
begin
    execute format('select usher.%I($1)', call.function) into answer using call.request;
    return answer;
exception when others then
    if left(sqlstate, 2) <> 'US' then raise; end if;
    get stacked diagnostics facts = pg_exception_detail, hint = pg_exception_hint;
    return jsonb_build_object(
        'outcome', 'objected',
        'error', jsonb_build_object('state', sqlstate, 'message', sqlerrm, 'detail', nullif(facts, ''), 'hint', nullif(hint, '')));
end
$$;

-- Records an attempt that changed nothing, or whose connection was lost. Returns false if an operation with this id was committed. A `lost`
-- attempt has the same id as its operation. So the insert of the attempt waits for a commit that is still running, and prevents a later
-- commit. An attempt can't have the outcome `committed`.
create or replace function usher.attempt(id uuid, kind text, outcome text, command text, app text, payload jsonb) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    said jsonb := usher.reported(attempt.payload, '{"target": "string", "reason": "string", "ticket": "string", "because": "string",
        "hint": "string", "environment": "string", "undoes": "string", "plan": "string", "app": "string", "digest": "string",
        "users": "array", "arguments": "object", "final": "boolean", "cut": "boolean", "total": "number"}');
begin
    if attempt.outcome not in ('refused', 'declined', 'failed', 'lost') or attempt.kind not in ('change', 'undo', 'erasure', 'restore', 'bulk', 'batch', 'end', 'install', 'request', 'answer', 'note') then
        raise exception 'an attempt can''t have the kind % and the outcome %', attempt.kind, attempt.outcome
              using errcode = 'US002', detail = 'no_attempt';
    end if;
    -- A deletion never erases the records of installations, so the attempt of an operator may not name users there.
    if attempt.kind = 'install' and not usher.has_role(null) then said := said - array['users', 'target']; end if;
    perform usher.record(
        attempt.id, attempt.kind, attempt.outcome, attempt.command, attempt.app, null, null, null, null, null, said || '{"attempt": true}');
    return true;
exception when unique_violation then
    if attempt.outcome <> 'lost' then raise; end if;
    return false;
end
$$;

-- The members of a record that the caller reports, without unknown members and members with another type than the given one. Queries on the
-- audit log rely on these types. An array or object contains only texts. The limit prevents operators from filling the disk.
create or replace function usher.reported(given jsonb, types jsonb) returns jsonb
language plpgsql immutable
as $$
declare
    most constant integer := 262144;
    said constant jsonb := (
        select jsonb_object_agg(m.key, m.value)
          from jsonb_each(case jsonb_typeof(given) when 'object' then given end) m
         where jsonb_typeof(m.value) = reported.types ->> m.key
           and not jsonb_path_exists(m.value, 'strict $.**{1 to last} ? (@.type() != "string")'));
begin
    if octet_length(said::text) > most then
        raise exception 'a record can''t be longer than % bytes', most using errcode = 'US002', detail = 'long_attempt';
    end if;
    return coalesce(said, '{}');
end
$$;

-- Records a note about a user of an installed app: {id, app, key, text, ticket}. The deletion of the account erases the note. Call this
-- function like `usher.run`.
create or replace function usher.note(request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    said constant text := btrim(request ->> 'text', E' \t\r\n');
    locked record;
begin
    perform usher.refuse_late(request);
    if coalesce(said, '') = '' then 
        raise exception 'a note can''t be empty'
              using errcode = 'US002', detail = 'empty_note',
                    hint = 'write the text after the user: `usher user note USER TEXT`';
    end if;
    if char_length(said) > 10000 then
        raise exception 'the note has % characters, but the limit is 10,000', char_length(said)
              using errcode = 'US002', detail = 'long_note';
    end if;
    select p.* into locked from usher.lock_users(request ->> 'app', jsonb_build_array(request ->> 'key')) p;
    if locked.busy is not null then return locked.busy; end if;
    perform usher.record(
        (request ->> 'id')::uuid, 'note', 'committed', 'user note', (locked.act).app, (locked.act).digest, null, null,
        usher.root_name((locked.act).definition), locked.keys,
        jsonb_build_object('target', usher.labelled((locked.act).definition, 'users', locked.keys, transaction_timestamp()),
                           'users', to_jsonb(locked.keys), 'text', said, 'ticket', request -> 'ticket', 'reason', request -> 'reason',
                           'environment', usher.environment_name()));
    insert into usher.note (operation, root, key)
    select (note.request ->> 'id')::uuid, usher.root_name((locked.act).definition), k.key from unnest(locked.keys) as k (key);
    return jsonb_build_object('outcome', 'done', 'now', transaction_timestamp()::text);
end
$$;

-- Locks the users of a note or of a request to delete accounts. Returns the app and the keys, or the locks if another session holds one of
-- them.
create or replace function usher.lock_users(app text, named jsonb, out act usher.act, out keys text[], out busy jsonb)
language plpgsql volatile
as $$
declare
    root jsonb;
    missing text;
begin
    select a.* into act from usher.act a
     where a.app = lock_users.app and a.kind = 'app' and a.retired_at is null
     order by a.installed_at desc limit 1;
    if act.app is null then perform usher.refuse_not_installed(lock_users.app, null, null); end if;
    root := nullif(act.definition -> 'root', 'null');
    if root is null then
        raise exception 'the app file of % does not declare its table of users for @account', act.app
              using errcode = 'US003', detail = 'rootless',
                    hint = 'add `@root TABLE.COLUMN` to the @account block of the app file';
    end if;
    keys := usher.keys(named, act.definition ->> 'key_type');
    if cardinality(keys) > 10000 then
        raise exception 'a request can''t name more than 10000 users, and this one names %', cardinality(keys)
              using errcode = 'US003', detail = 'too_long';
    end if;
    busy := usher.lock_keys(act.app, root, 'users', null, keys);
    if busy is not null then return; end if;
    execute format('select coalesce(k.key, ''null'') from unnest($1) as k (key) where not exists (select from %I.%I t where t.%I = k.key::%s) limit 1',
                   root ->> 'schema', root ->> 'table', root ->> 'key', act.definition ->> 'key_type')
       into missing using keys;
    if missing is not null then
        raise exception 'there is no user %', missing using errcode = 'US004', detail = 'no_user';
    end if;
    perform usher.own_session(act.definition);
end
$$;
