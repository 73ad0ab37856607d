-- Does an installed act: {id, app, digest, kind, name, keys, arguments, now, plan, dry, confirmed, reason, ticket}. To be
-- called in a transaction of its own at REPEATABLE READ, which the caller commits.
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
begin
    perform usher.refuse_late();
    select * into found from usher.find_act(request);
    definition := (found.act).definition;
    perform usher.refuse_forbidden((found.act).role, definition ->> 'command');
    environment := usher.environment_for((found.act).kind, request ->> 'reason', is_dry);
    at := usher.instant(request ->> 'now');
    given := usher.arguments(definition -> 'parameters', request -> 'arguments');
    subjects := usher.keys(request -> 'keys', definition ->> 'key_type');
    locks := usher.locks((found.act).app, found.app -> 'root', definition, subjects);
    if not usher.holds(locks) then
        return jsonb_build_object('outcome', 'locked', 'locks', to_jsonb(locks));
    end if;
    perform usher.refuse_strangers(definition, subjects, at, given, request ->> 'plan');
    report := usher.perform(found.app, definition, subjects, at, given, request);
    if report ->> 'outcome' = 'done' then
        done := array(select jsonb_array_elements_text(report -> 'subjects'));
        perform usher.enter(
            (request ->> 'id')::uuid, 'change', 'committed', definition ->> 'command', (found.act).app, (found.act).digest, null, null,
            usher.root_name(found.app), usher.users(definition, done, at, given),
            usher.said(found.app, definition, environment, done, at, given, request), report -> 'changes');
    end if;
    return report || jsonb_build_object('environment', environment, 'now', at::text);
end
$$;
