-- What the statements and triggers of an app read of the session is not for whoever asks for an act to say. Until the transaction
-- ends it is what the database and its owner set; else what it was as the app was installed, and empty where only triggers know
-- of it. An extension that came since is asked what can be set of it.
create or replace function usher.own_session(app jsonb) returns void
language plpgsql volatile
as $$
declare
    standing constant jsonb :=
        (select coalesce(jsonb_object_agg(n.name, ''), '{}') from jsonb_array_elements_text(app -> 'settings') n (name))
        || case when app -> 'extensions' @> to_jsonb(usher.extensions()) then '{}' else usher.registered() end
        || coalesce(app -> 'standing', '{}');
begin
    perform set_config(n.key, coalesce(o.value, n.value, ''), true)
       from jsonb_each_text(standing) n
       left join (
            select distinct on (1) lower(split_part(s.pair, '=', 1)) as name, substr(s.pair, strpos(s.pair, '=') + 1) as value
              from pg_db_role_setting d
             cross join lateral unnest(d.setconfig) as s (pair)
             where d.setdatabase in (0, (select b.oid from pg_database b where b.datname = current_database()))
               and d.setrole in (0, (select r.oid from pg_roles r where r.rolname = current_user))
             order by 1, d.setrole <> 0 desc, d.setdatabase <> 0 desc) o on o.name = n.key
     -- What nobody set stays unset, which is not the same as empty.
     where o.value is not null or current_setting(n.key, true) <> coalesce(n.value, '');
    -- What Citus asks of another server goes through one session there, so that what this transaction writes is counted in one.
    if to_regclass('pg_catalog.pg_dist_partition') is not null then
        perform set_config('citus.max_adaptive_executor_pool_size', '1', true), set_config('citus.multi_shard_modify_mode', 'sequential', true);
    end if;
end
$$;
