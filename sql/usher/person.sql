-- Whom something is said of that goes with the account: users of an app that is installed, by key. Says how the app is
-- installed and by which keys the ledger knows them; nothing but the locks where somebody else holds them.
create or replace function usher.person(app text, named jsonb, out act usher.act, out keys text[], out locks bigint[])
language plpgsql volatile
as $$
declare
    root jsonb;
    missing text;
begin
    select a.* into act from usher.act a
     where a.app = person.app and a.kind = 'app' and a.retired_at is null
     order by a.installed_at desc limit 1;
    if act.app is null then
        raise exception 'the app file of % is not installed', app
              using errcode = 'US008', detail = jsonb_build_object('refusal', 'not_installed', 'app', app)::text;
    end if;
    root := nullif(act.definition -> 'root', 'null');
    if root is null then
        raise exception 'nobody could tell with which account this of % has to go', act.app using errcode = 'US003',
              detail = jsonb_build_object('refusal', 'rootless', 'app', act.app)::text;
    end if;
    keys := usher.keys(named, act.definition ->> 'key_type');
    locks := usher.locks(act.app, root, '{"subject": "users"}', keys);
    if not usher.holds(locks) then return; end if;
    locks := null;
    execute format('select k.key from unnest($1) as k (key) where not exists (select from %I.%I t where t.%I = k.key::%s) limit 1',
                   root ->> 'schema', root ->> 'table', root ->> 'key', act.definition ->> 'key_type')
       into missing using keys;
    if missing is not null then
        raise exception 'there is no user %', missing using errcode = 'US004',
              detail = jsonb_build_object('refusal', 'no_user', 'key', missing)::text;
    end if;
    perform usher.own_session(act.definition);
end
$$;
