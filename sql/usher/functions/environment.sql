-- The functions for the environment of this database and for the time of an action.

-- The environment of this database; `production` if usher can't be sure of the environment. Reads the table only if the database owner or a
-- superuser owns it, because another role could replace it by a view. Locks the row. If the row changed after the transaction took its
-- snapshot, the server raises 40001, and the caller must begin a new transaction.
create or replace function usher.environment_name() returns text
language plpgsql volatile
as $$
declare
    base constant pg_database := (select d from pg_database d where d.datname = current_database());
begin
    if not exists (
        select from pg_class c
         where c.oid = to_regclass('usher.environment') and c.relkind = 'r'
           and not exists (select from pg_roles r
                            where r.oid in (c.relowner, (select n.nspowner from pg_namespace n where n.oid = c.relnamespace))
                              and r.oid <> base.datdba and not r.rolsuper)) then
        return 'production';
    end if;
    perform from usher.environment for share;
    return coalesce(
        (select case count(*) when 1 then min(e.name) filter (
                    where e.database = base.oid and e.system_identifier = (select s.system_identifier from pg_control_system() s)) end
           from usher.environment e), 'production');
end
$$;

-- The environment of an action. In production, refuses test states and changes without a reason.
create or replace function usher.environment_for(kind text, reason text, is_dry boolean) returns text
language plpgsql volatile
as $$
declare
    environment constant text := usher.environment_name();
begin
    if environment = 'production' and environment_for.kind = 'state' then
        raise exception 'test states can''t be used in production'
              using errcode = 'US003', detail = 'no_states',
                    hint = 'connect to a database for staging, development or test: choose it with --db';
    end if;
    -- A reason must contain a letter or a digit of any script.
    if environment = 'production' and not is_dry and coalesce(reason, '') !~ '[^[:space:][:punct:][:cntrl:]\u00a0\u115f\u1160\u2000-\u206f\u3000\u3164\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]' then
        raise exception 'a change in production needs a reason'
              using errcode = 'US003', detail = 'needs_reason',
                    hint = 'add --reason TEXT, and --ticket ID if there is one';
    end if;
    return environment;
end
$$;

-- The time at which an action evaluates decisions: the time of its preview (at most five minutes ago), else the start of the transaction.
create or replace function usher.instant(given text) returns timestamptz
language plpgsql stable
as $$
declare
    at constant timestamptz := coalesce(given::timestamptz, transaction_timestamp());
begin
    if at > transaction_timestamp() or at < transaction_timestamp() - interval '5 minutes' then
        raise exception 'changes always use the current time, not %; remove --at', at
              using errcode = 'US002', detail = 'other_time';
    end if;
    return at;
end
$$;
