-- The functions that check the rights of the operator.

-- Returns true if the connected user has the rights of a role. Ignores SET ROLE.
create or replace function usher.has_role(role text) returns boolean
language sql stable
as $$
    select exists (select from pg_roles s where s.rolname = session_user and s.rolsuper)
           or pg_has_role(session_user, current_user, 'usage')
           or exists (select from pg_roles r where r.rolname = has_role.role and pg_has_role(session_user, r.oid, 'usage'))
$$;

-- Returns true if the connected user can read every row and column of a table, and no column is a @secret. Always false for a partition,
-- because rights and secrets are declared for its parent table.
create or replace function usher.may_see(app jsonb, schema text, relation text) returns boolean
language sql stable
as $$
    select exists (
        select from pg_class c
          join pg_namespace n on n.oid = c.relnamespace
          join pg_roles r on r.rolname = session_user
         where n.nspname = may_see.schema and c.relname = may_see.relation
           and not exists (select from pg_inherits i where i.inhrelid = c.oid)
           and (not c.relrowsecurity or r.rolsuper or r.rolbypassrls)
           and not exists (
               select from pg_attribute a
                where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                  and (not has_column_privilege(r.oid, c.oid, a.attnum, 'select')
                       or exists (select from jsonb_array_elements_text(may_see.app -> 'secrets') s (path)
                                   where parse_ident(s.path) = array[n.nspname, c.relname, a.attname]::text[]))))
$$;

-- The role that the caller needs to answer a request but doesn't have; else null. The caller needs the role recorded in the request, and
-- the role that approves the installed action (else the role that runs it). For an undo, the caller needs the role of the undone operation.
create or replace function usher.missing_role(place usher.request, asked usher.operation) returns text
language plpgsql volatile
as $$
declare
    asks constant jsonb := asked.payload -> 'asks';
    undone constant usher.operation := (select o from usher.operation o where o.id = (asks ->> 'undoes')::uuid);
    installed constant usher.act := usher.act_now(case when undone.id is not null then usher.act_run_again(undone) else (
        select a from usher.act a where a.app = asked.app and a.kind = asks ->> 'kind' and a.name = asks ->> 'name' limit 1) end);
begin
    return (select r.role
              from unnest(array[place.role, coalesce(installed.definition ->> 'approve', installed.role),
                                case when undone.id is not null then usher.role_of(undone) end]) r (role)
             where r.role is not null and not usher.has_role(r.role) limit 1);
end
$$;

-- The role that an operator needs to run or undo an operation. The installed app file declares this role for the action, else the app file
-- of the operation. If no app file has the action, the role is usher_engineer.
create or replace function usher.role_of(operation usher.operation) returns text
language sql volatile
as $$ select coalesce((usher.act_now(a)).role, a.role, 'usher_engineer') from usher.act_of(operation) a $$;

-- The installed action with the same kind and name; null if the installed app file doesn't have it. Locks the row like `open_action`.
create or replace function usher.act_now(act usher.act) returns usher.act
language sql volatile
as $$ select i from usher.act i where (i.app, i.kind, i.name) = (act.app, act.kind, act.name) and i.retired_at is null for share $$;

-- The role that approves an action; null if the action doesn't need two people. The installed app file declares this role (`@approve`). If
-- the action is not installed any more, the app file of the operation declares it.
create or replace function usher.approver_of(act usher.act) returns text
language sql volatile
as $$ select case when i.app is null then act.definition else i.definition end ->> 'approve' from usher.act_now(act) i $$;

-- Refuses a command if the operator doesn't have its role. The hint shows how to request the change, or how to get the role.
create or replace function usher.refuse_forbidden(role text, command text, answers text default null) returns void
language plpgsql stable
as $$
begin
    if usher.has_role(refuse_forbidden.role) then return; end if;
    raise exception '`%` needs the role %, which % doesn''t have', command, refuse_forbidden.role, session_user
          using errcode = 'US005', detail = 'forbidden',
                hint = case when refuse_forbidden.role = any ('{usher_support,usher_admin,usher_engineer}') and refuse_forbidden.answers is null
                            then 'to ask somebody with this role, run the command again with --request'
                            when refuse_forbidden.answers is not null
                            then format('an operator with the role %s can approve it: `usher request approve %s`', refuse_forbidden.role, refuse_forbidden.answers)
                            else format('ask the database owner to run `grant %I to %I`', refuse_forbidden.role, session_user) end;
end
$$;

-- Refuses an action in production that needs two people but doesn't answer a request. A preview needs only one person.
create or replace function usher.refuse_alone(act usher.act, environment text, request jsonb, is_dry boolean) returns void
language plpgsql volatile
as $$
declare
    approver text;
begin
    if is_dry or refuse_alone.environment <> 'production' or request ->> 'request' is not null then return; end if;
    approver := usher.approver_of(act);
    if approver is null then return; end if;
    raise exception 'in production `%` needs two people: one requests the change, another with the role % approves it',
          act.definition ->> 'command', approver
          using errcode = 'US003', detail = 'takes_two',
                hint = 'add --request to request the change';
end
$$;

-- Returns true if the operator has the role for the requested change. Refuses the request if the operator has the role and the change
-- doesn't need two people, because the operator can then run the change.
create or replace function usher.refuse_needless(command text, role text, takes_two boolean) returns boolean
language plpgsql stable
as $$
begin
    if usher.has_role(refuse_needless.role) and not takes_two then
        raise exception 'you can run `%` yourself; it needs no approval', command
              using errcode = 'US003', detail = 'needless',
                    hint = 'run the command without --request';
    end if;
    return usher.has_role(refuse_needless.role);
end
$$;
