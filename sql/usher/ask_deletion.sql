-- Asks for the deletion of accounts, which is for an eraser: {id, app, keys, dry, reason, ticket}. The deletion itself answers
-- it, whoever begins it, and forgets what was said here.
create or replace function usher.ask_deletion(request jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    role constant text := 'usher_eraser';
    command constant text := 'account delete';
    is_dry constant boolean := coalesce((request ->> 'dry')::boolean, false);
    environment constant text := usher.environment_for('erasure', request ->> 'reason', is_dry);
    whom record;
    asks jsonb;
    same uuid;
begin
    if usher.may(role) then perform usher.refuse_needless(command); end if;
    select p.* into whom from usher.person(request ->> 'app', request -> 'keys') p;
    if whom.locks is not null then return jsonb_build_object('outcome', 'locked', 'locks', to_jsonb(whom.locks)); end if;
    if cardinality(whom.keys) = 0 then
        raise exception 'it is asked for nobody' using errcode = 'US002', detail = jsonb_build_object('refusal', 'asked_for_nobody')::text;
    end if;
    asks := jsonb_build_object('kind', 'deletion', 'command', command, 'keys', to_jsonb(whom.keys));
    select r.operation into same
      from usher.request r
      join usher.operation o on o.id = r.operation
     where r.answer is null and o.app = (whom.act).app and o.payload -> 'asks' = asks
     limit 1;
    if same is not null then
        raise exception 'the same is asked for already, by request %', same
              using errcode = 'US006', detail = jsonb_build_object('refusal', 'asked_already', 'request', same)::text;
    end if;
    if not is_dry then
        perform usher.enter(
            (request ->> 'id')::uuid, 'request', 'committed', 'request', (whom.act).app, (whom.act).digest, null, null,
            usher.root_name((whom.act).definition), whom.keys,
            jsonb_build_object(
                'target', usher.labelled((whom.act).definition, '{"subject": "users"}', whom.keys, transaction_timestamp()),
                'users', to_jsonb(whom.keys), 'asks', asks, 'reason', request -> 'reason', 'ticket', request -> 'ticket',
                'environment', environment));
        insert into usher.request (operation, role, of_two) values ((request ->> 'id')::uuid, role, false);
    end if;
    return jsonb_build_object(
        'outcome', case when is_dry then 'planned' else 'done' end, 'environment', environment,
        'now', transaction_timestamp()::text, 'subjects', to_jsonb(whom.keys), 'role', role);
end
$$;
