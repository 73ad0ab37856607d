-- What extensions let whoever connects set for a session, each as it is where nobody did. An extension says so only when its
-- library is loaded, and takes over then what somebody set before.
create or replace function usher.registered() returns jsonb
language plpgsql volatile
as $$
declare
    example oid;
begin
    -- What came with the server is older than the first oid that is free.
    for example in select min(p.oid) from pg_proc p where p.probin is not null and p.oid >= 16384 group by p.probin loop
        begin
            perform fmgr_c_validator(example);
        exception when others then
            -- What cannot be loaded cannot be called either.
            null;
        end;
    end loop;
    return (select coalesce(jsonb_object_agg(
                       lower(s.name),
                       case when s.source in ('session', 'client', 'user', 'database user') then s.boot_val else s.setting end), '{}')
              from pg_settings s
             where strpos(s.name, '.') > 0 and s.context = 'user');
end
$$;
