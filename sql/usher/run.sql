-- Does an installed act: {id, app, digest, kind, name, keys, arguments, now, plan, dry, confirmed, reason, ticket}, with
-- {request} as the answer to one, and with {moved} also where what that rests on has changed. To be called in a transaction of
-- its own at REPEATABLE READ, which the caller commits.
create or replace function usher.run(request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    is_dry constant boolean := coalesce((request ->> 'dry')::boolean, false);
    found record;
    definition jsonb;
    environment text;
    at timestamptz;
    given jsonb;
    subjects text[];
    locks bigint[];
    report jsonb;
    done text[];
    asked usher.operation;
    has_moved boolean := false;
    terms jsonb;
    guarded jsonb;
    names jsonb;
    said jsonb;
begin
    perform usher.refuse_late(request);
    perform usher.refuse_open_path();
    guarded := usher.guarded();
    terms := request || jsonb_build_object('guarded', guarded);
    select * into found from usher.find_act(request);
    definition := (found.act).definition;
    perform usher.own_session(found.app);
    -- What nobody may do is nobody's to be asked for.
    perform usher.environment_for((found.act).kind, null, true);
    perform usher.refuse_forbidden((found.act).role, definition ->> 'command', request ->> 'request');
    environment := usher.environment_for((found.act).kind, request ->> 'reason', is_dry);
    perform usher.refuse_alone(found.act, environment, request, is_dry);
    at := usher.instant(request ->> 'now');
    given := usher.arguments(definition -> 'parameters', request -> 'arguments');
    subjects := usher.keys(request -> 'keys', definition ->> 'key_type');
    locks := usher.locks((found.act).app, found.app -> 'root', definition, subjects, usher.touched(definition, subjects, at, given));
    perform usher.refuse_beside(guarded);
    if not usher.holds(locks) then
        return jsonb_build_object('outcome', 'locked', 'locks', to_jsonb(locks));
    end if;
    perform usher.refuse_strangers(definition, subjects, at, given, request ->> 'plan');
    asked := usher.asked_for(
        request, found.act, (found.act).app, definition ->> 'command',
        jsonb_build_object('kind', (found.act).kind, 'name', (found.act).name, 'arguments', usher.plain(definition, given)), subjects, at,
        given, is_dry);
    if asked.id is not null and not coalesce((request ->> 'moved')::boolean, false) then
        has_moved := usher.has_moved(asked, found.app, definition, subjects, at, given);
        if has_moved and not is_dry then
            raise exception 'what request % rests on has changed since it was made', asked.id using errcode = 'US006',
                  detail = jsonb_build_object('refusal', 'moved', 'request', asked.id)::text;
        end if;
        if request ->> 'plan' is null and not is_dry then terms := terms || jsonb_build_object('plan', asked.payload -> 'asks' -> 'plan'); end if;
    end if;
    report := usher.perform(found.app, definition, subjects, at, given, terms);
    if report ->> 'outcome' = 'locked' then return report; end if;
    if report ->> 'outcome' = 'planned' and asked.payload -> 'asks' ->> 'plan' is not null then
        has_moved := has_moved or usher.fingerprint(report, at, split_part(asked.payload -> 'asks' ->> 'plan', ':', 1))
                                  <> asked.payload -> 'asks' ->> 'plan' and not coalesce((request ->> 'moved')::boolean, false);
    end if;
    names := usher.named_users(found.app, array(select jsonb_array_elements_text(report -> 'users')), at);
    if report ->> 'outcome' = 'done' then
        done := array(select jsonb_array_elements_text(report -> 'subjects'));
        said := usher.said(found.app, definition, environment, done, at, given, request);
    end if;
    perform usher.refuse_beside(guarded);
    if report ->> 'outcome' = 'done' then
        perform usher.enter(
            (request ->> 'id')::uuid, 'change', 'committed', definition ->> 'command', (found.act).app, (found.act).digest, null, null,
            usher.root_name(found.app), array(select jsonb_array_elements_text(report -> 'users')),
            said || jsonb_build_object('asked_by', asked.operator, 'beside', nullif(report -> 'others', 'null'), 'decisions', usher.turned(report -> 'decisions')),
            report -> 'changes', asked.id);
    end if;
    return report || jsonb_build_object('environment', environment, 'now', at::text, 'moved', has_moved, 'names', names);
end
$$;
