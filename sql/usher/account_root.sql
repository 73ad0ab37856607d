-- The table that accounts hang on ({"schema", "table", "key"}): its name as the ledger writes it, the column that was
-- named and the one by which the ledger knows its rows, each with what its values are and how they compare.
--
-- The ledger knows the rows of an app's root by the key of its file, and others by their primary key.
create or replace function usher.account_root(
    root jsonb, app text, out relation oid, out name text,
    out given text, out given_type text, out given_equals text, out key text, out key_type text, out key_equals text,
    out is_declared boolean
)
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
    declared text;
    is_operators boolean;
    operator text;
begin
    select c.oid, quote_ident(n.nspname) || '.' || quote_ident(c.relname),
           not pg_has_role(c.relowner, u.nspowner, 'usage')
               and (pg_has_role(session_user, c.relowner, 'member') and not pg_has_role(session_user, u.nspowner, 'usage')
                    or exists (select from pg_roles r
                                where r.rolname in ('usher_support', 'usher_admin', 'usher_engineer', 'usher_eraser', 'usher_auditor')
                                  and pg_has_role(c.relowner, r.oid, 'usage')))
      into account_root.relation, account_root.name, is_operators
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join pg_namespace u on u.nspname = 'usher'
     where n.nspname = account_root.root ->> 'schema' and c.relname = account_root.root ->> 'table'
       and c.relkind in ('r', 'p') and c.relpersistence <> 't'
       and n.nspname !~ '^pg_' and n.nspname not in ('usher', 'information_schema');
    if account_root.relation is null then
        raise exception 'there is no table %.% that accounts could hang on',
              account_root.root ->> 'schema', account_root.root ->> 'table' using errcode = 'undefined_table';
    end if;
    select a.definition #>> '{root,key}'
      into declared
      from usher.act a
     where a.kind = 'app' and a.definition #>> '{root,schema}' = account_root.root ->> 'schema'
       and a.definition #>> '{root,table}' = account_root.root ->> 'table'
     order by a.retired_at is null desc, a.app is not distinct from account_root.app desc, a.installed_at desc
     limit 1;
    is_declared := declared is not null;
    account_root.key := coalesce(declared, (
        select a.attname
          from pg_index i
          join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
         where i.indrelid = account_root.relation and i.indisprimary and i.indnkeyatts = 1), account_root.root ->> 'key');
    given := account_root.root ->> 'key';
    select c.type, c.equals into given_type, given_equals from usher.key_column(account_root.relation, given) c;
    if account_root.key = given then
        key_type := given_type;
        key_equals := given_equals;
    else
        select c.type, c.equals into key_type, key_equals from usher.key_column(account_root.relation, account_root.key) c;
    end if;
    if given_type is null or key_type is null then
        raise exception '% has no column % that identifies a row', account_root.name, given
              using errcode = 'undefined_column';
    end if;
    -- To plan a look at a table the server works out what its indexes and checks come to: those of an operator's would run as
    -- the owner of this schema.
    if is_operators and not is_declared then
        raise exception '% belongs to an operator, and no app file that is installed says that accounts hang on it', account_root.name
              using errcode = 'insufficient_privilege',
                    hint = 'the owner of the schema usher may delete there, or installs an app file whose users are its rows';
    end if;
    if not (has_schema_privilege((select c.relnamespace from pg_class c where c.oid = account_root.relation), 'usage')
            and has_column_privilege(account_root.relation, given, 'select')
            and has_column_privilege(account_root.relation, account_root.key, 'select')) then
        raise exception 'the owner of the ledger, %, may not read %', current_user, account_root.name
              using errcode = 'insufficient_privilege',
                    hint = format('grant select on %s to %I', account_root.name, current_user);
    end if;
    -- Whether the rows went, or came back, is looked at before the commit. Citus shows nobody in a transaction what another role has
    -- written in it, so whoever deletes has to look; since Postgres 18 a trigger looks as who opened it, the owner of this schema.
    operator := case current_setting('role') when 'none' then session_user else current_setting('role') end;
    if current_setting('server_version_num')::integer >= 180000 and operator <> current_user and usher.is_distributed(account_root.relation) then
        raise exception '% lies on other servers, where only %, who owns the schema usher, can delete and restore', account_root.name, current_user
              using errcode = 'US005',
                    detail = jsonb_build_object('refusal', 'owner_alone', 'table', account_root.name, 'owner', current_user)::text;
    end if;
end
$$;
