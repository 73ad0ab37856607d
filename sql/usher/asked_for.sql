-- The request that an operation answers by doing what was asked for; none where it names none. Refuses who may not approve it,
-- what was answered already, and what is not what was asked for.
--
-- All of it or nothing: what is left of a request would never be done. `wanted` says what is to be done, as `usher.ask` writes it: {kind, name, arguments, selections, undoes}, besides the keys.
create or replace function usher.asked_for(
    request jsonb, act usher.act, app text, command text, wanted jsonb, keys text[], at timestamptz, given jsonb, is_dry boolean
) returns usher.operation
language plpgsql volatile
as $$
declare
    place usher.request;
    asked usher.operation;
    asks jsonb;
    chosen text[];
    missing text;
begin
    if request ->> 'request' is null then return null; end if;
    -- Of two who answer at once one comes too late, and finds it answered.
    if is_dry then
        select r.* into place from usher.request r where r.operation = (asked_for.request ->> 'request')::uuid;
    else
        select r.* into place from usher.request r where r.operation = (asked_for.request ->> 'request')::uuid for update;
    end if;
    select o.* into asked from usher.operation o where o.id = place.operation;
    perform usher.refuse_answered(place, request ->> 'request');
    missing := usher.missing_role(place, act);
    if missing is not null then
        raise exception 'approving `%` needs the role %, which % has not', command, missing, session_user using errcode = 'US005',
              detail = jsonb_build_object('refusal', 'may_not_approve', 'command', command, 'role', missing, 'user', session_user)::text;
    end if;
    if asked.operator = session_user and (place.of_two or (usher.act_now(act)).definition ->> 'approve' is not null) then
        raise exception '`%` takes two, and you asked for it: somebody else approves it', command using errcode = 'US003',
              detail = jsonb_build_object('refusal', 'takes_another', 'command', command)::text;
    end if;
    asks := asked.payload -> 'asks';
    chosen := array(select jsonb_array_elements_text(asks -> 'keys'));
    if asks ->> 'selections' is not null and wanted ->> 'selections' is null and act.app is not null then
        chosen := usher.selected(act.definition, asks -> 'selections', at, given);
        asks := asks - 'selections';
    end if;
    if asked.app is distinct from asked_for.app
       or jsonb_strip_nulls(asks - array['keys', 'command', 'world', 'plan']) is distinct from jsonb_strip_nulls(wanted)
       or not (asked_for.keys <@ chosen and chosen <@ asked_for.keys) then
        raise exception 'this is not what request % asks for', asked.id using errcode = 'US003',
              detail = jsonb_build_object('refusal', 'other_request', 'request', asked.id)::text;
    end if;
    return asked;
end
$$;
