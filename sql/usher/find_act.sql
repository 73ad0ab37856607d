-- An installed act and what all acts of its app file share.
create or replace function usher.find_act(request jsonb, out act usher.act, out app jsonb)
language plpgsql stable
as $$
begin
    select a.* into act
      from usher.act a
     where a.app = request ->> 'app' and a.digest = decode(request ->> 'digest', 'hex')
       and a.kind = request ->> 'kind' and a.kind <> 'app' and a.name = request ->> 'name' and a.retired_at is null;
    if act.app is null then
        raise exception '%', case
              when exists (select from usher.act a where a.app = request ->> 'app' and a.digest = decode(request ->> 'digest', 'hex') and a.retired_at is null)
              then format('`%s` is not among what was installed of %s', request ->> 'name', request ->> 'app')
              when exists (select from usher.act a where a.app = request ->> 'app' and a.retired_at is null)
              then format('this is not the app file of %s that is installed', request ->> 'app')
              else format('the app file of %s is not installed', request ->> 'app') end
              using errcode = 'US008', hint = 'the owner installs it: `usher install --app FILE`';
    end if;
    app := (select a.definition from usher.act a where a.app = act.app and a.digest = act.digest and a.kind = 'app');
end
$$;
