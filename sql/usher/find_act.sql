-- An installed act and what all acts of its app file share. Both rows are locked: if they changed since the snapshot of the
-- transaction, it has to begin again (40001).
create or replace function usher.find_act(request jsonb, out act usher.act, out app jsonb)
language plpgsql volatile
as $$
begin
    select a.* into act
      from usher.act a
     where a.app = request ->> 'app' and a.digest = decode(request ->> 'digest', 'hex')
       and a.kind = request ->> 'kind' and a.kind <> 'app' and a.name = request ->> 'name' and a.retired_at is null
       for share;
    if act.app is null then
        if not exists (select from usher.act a where a.app = request ->> 'app' and a.retired_at is null) then
            raise exception 'the app file of % is not installed', request ->> 'app' using errcode = 'US008',
                  detail = jsonb_build_object('refusal', 'not_installed', 'app', request ->> 'app')::text;
        end if;
        if not exists (select from usher.act a
                        where a.app = request ->> 'app' and a.digest = decode(request ->> 'digest', 'hex') and a.retired_at is null) then
            raise exception 'this is not the app file of % that is installed', request ->> 'app' using errcode = 'US008',
                  detail = jsonb_build_object('refusal', 'other_file', 'app', request ->> 'app')::text;
        end if;
        raise exception '`%` is not among what was installed of %', request ->> 'name', request ->> 'app' using errcode = 'US008',
              detail = jsonb_build_object('refusal', 'no_act', 'app', request ->> 'app', 'name', request ->> 'name')::text;
    end if;
    select a.definition into app from usher.act a where a.app = act.app and a.digest = act.digest and a.kind = 'app' for share;
end
$$;
