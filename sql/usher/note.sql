-- Notes something about a user of an app that is installed: {id, app, key, text, ticket}. It is forgotten with the account. To
-- be called like `usher.run`.
create or replace function usher.note(request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    said constant text := btrim(request ->> 'text', E' \t\r\n');
    whom record;
begin
    perform usher.refuse_late(request);
    if coalesce(said, '') = '' then 
        raise exception 'a note says something' using errcode = 'US002', detail = jsonb_build_object('refusal', 'empty_note')::text;
    end if;
    if char_length(said) > 10000 then
        raise exception 'a note has at most 10,000 characters, and this has %', char_length(said) using errcode = 'US002',
              detail = jsonb_build_object('refusal', 'long_note', 'length', char_length(said))::text;
    end if;
    select p.* into whom from usher.person(request ->> 'app', jsonb_build_array(request ->> 'key')) p;
    if whom.locks is not null then return jsonb_build_object('outcome', 'locked', 'locks', to_jsonb(whom.locks)); end if;
    perform usher.enter(
        (request ->> 'id')::uuid, 'note', 'committed', 'user note', (whom.act).app, (whom.act).digest, null, null,
        usher.root_name((whom.act).definition), whom.keys,
        jsonb_build_object('target', usher.labelled((whom.act).definition, '{"subject": "users"}', whom.keys, transaction_timestamp()),
                           'users', to_jsonb(whom.keys), 'text', said, 'ticket', request -> 'ticket', 'reason', request -> 'reason',
                           'environment', usher.environment_name()));
    insert into usher.note (operation, root, key)
    select (note.request ->> 'id')::uuid, usher.root_name((whom.act).definition), k.key from unnest(whom.keys) as k (key);
    return jsonb_build_object('outcome', 'done', 'now', transaction_timestamp()::text);
end
$$;
