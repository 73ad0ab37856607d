-- Notes something about a user of an app that is installed: {id, app, key, text, ticket}. It is forgotten with the account. To
-- be called like `usher.run`.
create or replace function usher.note(request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    said constant text := btrim(request ->> 'text', E' \t\r\n');
    app usher.act;
    root jsonb;
    keys text[];
    locks bigint[];
    stands boolean;
begin
    perform usher.refuse_late();
    if coalesce(said, '') = '' then 
        raise exception 'a note says something' using errcode = 'US002', detail = jsonb_build_object('refusal', 'empty_note')::text;
    end if;
    if char_length(said) > 10000 then
        raise exception 'a note has at most 10,000 characters, and this has %', char_length(said) using errcode = 'US002',
              detail = jsonb_build_object('refusal', 'long_note', 'length', char_length(said))::text;
    end if;
    select a.* into app from usher.act a
     where a.app = note.request ->> 'app' and a.kind = 'app' and a.retired_at is null
     order by a.installed_at desc limit 1;
    if app.app is null then
        raise exception 'the app file of % is not installed', request ->> 'app'
              using errcode = 'US008', detail = jsonb_build_object('refusal', 'not_installed', 'app', request ->> 'app')::text;
    end if;
    root := nullif(app.definition -> 'root', 'null');
    if root is null then
        raise exception 'nobody could tell with which account a note of % has to go', app.app using errcode = 'US003',
              detail = jsonb_build_object('refusal', 'rootless', 'app', app.app)::text;
    end if;
    keys := usher.keys(jsonb_build_array(request ->> 'key'), app.definition ->> 'key_type');
    locks := usher.locks(app.app, root, '{"subject": "users"}', keys);
    if not usher.holds(locks) then return jsonb_build_object('outcome', 'locked', 'locks', to_jsonb(locks)); end if;
    execute format('select exists (select from %I.%I t where t.%I = any ($1::%s[]))', root ->> 'schema', root ->> 'table', root ->> 'key',
                   app.definition ->> 'key_type')
       into stands using keys;
    if not stands then 
        raise exception 'there is no user %', request ->> 'key' using errcode = 'US004',
              detail = jsonb_build_object('refusal', 'no_user', 'key', request ->> 'key')::text;
    end if;
    perform usher.own_session(app.definition);
    perform usher.enter(
        (request ->> 'id')::uuid, 'note', 'committed', 'user note', app.app, app.digest, null, null, usher.root_name(app.definition), keys,
        jsonb_build_object('target', usher.labelled(app.definition, '{"subject": "users"}', keys, transaction_timestamp()),
                           'users', to_jsonb(keys), 'text', said, 'ticket', request -> 'ticket', 'reason', request -> 'reason',
                           'environment', usher.environment_name()));
    insert into usher.note (operation, root, key)
    select (note.request ->> 'id')::uuid, usher.root_name(app.definition), k.key from unnest(keys) as k (key);
    return jsonb_build_object('outcome', 'done', 'now', transaction_timestamp()::text);
end
$$;
