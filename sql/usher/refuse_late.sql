-- Refuses a transaction in which an action could be deceived. An action is the first thing that its transaction writes, and the
-- only one: what the caller deferred before would run as the owner of this schema. Its only snapshot is fresh. Its session has
-- nothing temporary: a function of the app that has a search path of its own looks for tables and types there first, and would
-- run what the caller made as the owner. A constraint is deferred only if it defers itself, since what comes with the commit is
-- not accounted for.
create or replace function usher.refuse_late(request jsonb) returns void
language plpgsql volatile
as $$
declare
    prompt text;
begin
    if current_setting('transaction_isolation') <> 'repeatable read' then
        raise exception 'an act needs a transaction at REPEATABLE READ' using errcode = 'invalid_transaction_state';
    end if;
    perform usher.refuse_written();
    perform usher.refuse_long(request);
    if clock_timestamp() - transaction_timestamp() > interval '5 seconds' then
        raise exception 'this transaction began too long ago for an act' using errcode = 'invalid_transaction_state';
    end if;
    -- The snapshot may not show what the session made since. This finds it, and the error undoes it.
    if pg_my_temp_schema() <> 0 then
        discard temp;
        if pg_current_xact_id_if_assigned() is not null then
            raise exception 'this session holds temporary objects, and what an act calls could take them for those of the app'
                  using errcode = 'US003', detail = jsonb_build_object('refusal', 'temporary')::text;
        end if;
    end if;
    perform usher.refuse_stale(clock_timestamp());
    select string_agg(distinct quote_ident(n.nspname) || '.' || quote_ident(c.conname), ', ') into prompt
      from pg_constraint c
      join pg_namespace n on n.oid = c.connamespace
      join pg_class t on t.oid = c.conrelid
     where c.condeferrable and not c.condeferred and n.nspname <> 'usher' and t.relpersistence <> 't'
       and has_schema_privilege(n.oid, 'usage');
    if prompt is not null then execute 'set constraints ' || prompt || ' immediate'; end if;
end
$$;
