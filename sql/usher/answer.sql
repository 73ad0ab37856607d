-- Answers a request otherwise than by doing it: {id, request, answer, reason, ticket}. Whoever may approve it declines it, and
-- whoever asked withdraws it. To be called like `usher.run`.
create or replace function usher.answer(request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    way constant text := request ->> 'answer';
    place usher.request;
    asked usher.operation;
    act usher.act;
    missing text;
begin
    perform usher.refuse_late(request);
    if way is null or way not in ('decline', 'withdraw') then
        raise exception 'an answer is decline or withdraw' using errcode = 'US002', detail = jsonb_build_object('refusal', 'no_answer')::text;
    end if;
    select r.* into place from usher.request r where r.operation = (answer.request ->> 'request')::uuid for update;
    perform usher.refuse_answered(place, request ->> 'request');
    select o.* into asked from usher.operation o where o.id = place.operation;
    if way = 'withdraw' and asked.operator <> session_user then
        raise exception '% asked for it, who alone may withdraw it', asked.operator using errcode = 'US005',
              detail = jsonb_build_object('refusal', 'not_the_asker', 'asker', asked.operator)::text;
    end if;
    if way = 'decline' then
        if asked.operator = session_user then
            raise exception 'you asked for it yourself' using errcode = 'US003',
                  detail = jsonb_build_object('refusal', 'own_request', 'request', asked.id)::text;
        end if;
        select a.* into act from usher.act a
         where a.app = asked.app and a.digest = asked.app_digest and a.kind = asked.payload -> 'asks' ->> 'kind'
           and a.name = asked.payload -> 'asks' ->> 'name';
        missing := usher.missing_role(place, act);
        if missing is not null then
            raise exception 'declining it needs the role %, which % has not', missing, session_user using errcode = 'US005',
                  detail = jsonb_build_object('refusal', 'may_not_decline', 'role', missing, 'user', session_user)::text;
        end if;
    end if;
    perform usher.enter(
        (request ->> 'id')::uuid, 'answer', 'committed', 'request ' || way, asked.app, null, null, null, asked.root, asked.subjects,
        jsonb_build_object('target', asked.payload -> 'target', 'users', asked.payload -> 'users', 'asked_by', asked.operator,
                           'reason', request -> 'reason', 'ticket', request -> 'ticket', 'environment', usher.environment_name()),
        request := asked.id);
    return jsonb_build_object('outcome', 'done', 'now', transaction_timestamp()::text);
end
$$;
