-- The functions that delete and restore accounts.

-- The base type of a column with a unique index, and the equality operator of this type. Returns no row for a column without a unique
-- index. It also returns no row for a composite type, because constraints of its attributes could run code.
create or replace function usher.key_column(relation oid, name text) returns table (type text, equals text)
language sql stable set search_path = pg_catalog, pg_temp
as $$
    with recursive domains as (
           select a.atttypid as base, a.attnum
             from pg_attribute a
            where a.attrelid = $1 and a.attname = $2 and a.attnum > 0 and not a.attisdropped
            union all
           select t.typbasetype, d.attnum from domains d join pg_type t on t.oid = d.base where t.typtype = 'd'
    )
    select format_type(d.base, -1),
           coalesce((select format('operator(%I.%s)', n.nspname, o.oprname)
                       from pg_opclass c
                       join pg_am m on m.oid = c.opcmethod and m.amname = 'btree'
                       join pg_amop s on s.amopfamily = c.opcfamily and s.amoplefttype = c.opcintype
                                     and s.amoprighttype = c.opcintype and s.amopstrategy = 3
                       join pg_operator o on o.oid = s.amopopr
                       join pg_namespace n on n.oid = o.oprnamespace
                      where c.opcdefault and c.opcintype = d.base),
                    'operator(pg_catalog.=)')
      from domains d
      join pg_type t on t.oid = d.base and t.typtype in ('b', 'e') and t.typcategory <> 'A'
     where exists (select from pg_index i
                    where i.indrelid = $1 and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null
                      and i.indnkeyatts = 1 and i.indkey[0] = d.attnum)
$$;

-- The table of users that a deletion or a restore names ({"schema", "table", "key"}), with its name in the audit log. `is_operators` is true
-- if an operator owns the table, or can become its owner.
create or replace function usher.root_table(root jsonb, out relation oid, out name text, out is_operators boolean)
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
    select c.oid, quote_ident(n.nspname) || '.' || quote_ident(c.relname),
           not pg_has_role(c.relowner, u.nspowner, 'usage')
               and (pg_has_role(session_user, c.relowner, 'member') and not pg_has_role(session_user, u.nspowner, 'usage')
                    or exists (select from pg_roles r
                                where r.rolname in ('usher_support', 'usher_admin', 'usher_engineer', 'usher_eraser', 'usher_auditor')
                                  and pg_has_role(c.relowner, r.oid, 'usage')))
      into root_table.relation, root_table.name, root_table.is_operators
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join pg_namespace u on u.nspname = 'usher'
     where n.nspname = root_table.root ->> 'schema' and c.relname = root_table.root ->> 'table'
       and c.relkind in ('r', 'p') and c.relpersistence <> 't'
       and n.nspname !~ '^pg_' and n.nspname not in ('usher', 'information_schema');
    if root_table.relation is null then
        raise exception 'there is no table %.% that could contain users', root_table.root ->> 'schema', root_table.root ->> 'table'
              using errcode = 'undefined_table';
    end if;
end
$$;

-- The table of users ({"schema", "table", "key"}), with its name in the audit log. The result also has the column of the request (`given`)
-- and the column whose values the audit log records (`key`), each with its type and equality operator.
--
-- For the users of an app, the audit log records the @key of the app file. For rows of other tables, it records the primary key.
--
-- `keys` has the given keys (`named`). Refuses a null key, and a request without keys.
create or replace function usher.account_root(
    root jsonb, app text, named jsonb, out keys text[], out relation oid, out name text,
    out given text, out given_type text, out given_equals text, out key text, out key_type text, out key_equals text,
    out is_declared boolean
)
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
    declared text;
    is_operators boolean;
begin
    select t.relation, t.name, t.is_operators into account_root.relation, account_root.name, is_operators from usher.root_table(root) t;
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
    if given = account_root.key then
        select given_type, given_equals into key_type, key_equals;
    else
        select c.type, c.equals into key_type, key_equals from usher.key_column(account_root.relation, account_root.key) c;
    end if;
    if given_type is null or key_type is null then
        raise exception '% has no column % with a unique index', account_root.name, given
              using errcode = 'undefined_column';
    end if;
    -- When the server plans a query on a table, it evaluates the index expressions and checks of the table. If an operator owns the table,
    -- these would run the operator's code as the owner of this schema.
    if is_operators and not is_declared then
        raise exception 'the table % belongs to an operator, and no installed app file declares this table as its table of users', name
              using errcode = 'US005', detail = 'operators_table',
                    hint = 'ask the owner of the schema usher to delete the account, or to install an app file with this table of users';
    end if;
    -- The function reads rows as the owner, and its result shows which keys exist.
    if not has_table_privilege(session_user, account_root.relation, 'delete') then
        raise exception '% doesn''t have the right DELETE on the table %', session_user, name using errcode = 'insufficient_privilege';
    end if;
    keys := usher.keys(named, given_type);
    if cardinality(keys) = 0 or array_position(keys, null) is not null then
        raise exception 'the request contains no user' using errcode = 'invalid_parameter_value';
    end if;
    if cardinality(keys) > 100000 then
        raise exception 'a deletion can''t have more than 100000 users, and this one has %', cardinality(keys)
              using errcode = 'US003', detail = 'too_long';
    end if;
end
$$;

-- Records an operation of a deletion or a restore. Records only the known members of `said`. The member `word` marks the record as reported
-- by the client, because usher can't check the members.
create or replace function usher.record_deletion(
    id uuid, kind text, outcome text, command text, said jsonb, parent uuid default null, undoes uuid default null,
    root text default null, subjects text[] default null, extra jsonb default '{}',
    answers uuid default null
) returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
    environment constant text := usher.environment_for(record_deletion.kind, said ->> 'reason', record_deletion.parent is not null);
    types constant jsonb := '{"target": "string", "arguments": "object", "total": "number", "plan": "string", "reason": "string",
                              "ticket": "string", "because": "string", "deletion": "string", "archive": "string"}';
    reported constant jsonb := usher.reported(jsonb_strip_nulls(said), types);
    -- A resumed deletion adds the row counts in `arguments` up.
    wrong constant text := coalesce(
        (select min(s.key) from jsonb_each(said) s where types ? s.key and s.value <> 'null' and not reported ? s.key),
        (select min(a.key) from jsonb_each_text(reported -> 'arguments') a
          where a.key ~ '^(delete|detach) ' and a.value !~ '^[0-9]{1,18}$'));
begin
    perform usher.refuse_long(said);
    if wrong is not null then
        raise exception 'the member % in the record of a deletion is not valid', wrong using errcode = 'US002', detail = 'ill_formed';
    end if;
    perform usher.record(
        record_deletion.id, record_deletion.kind, record_deletion.outcome, record_deletion.command, said ->> 'app',
        (select a.digest from usher.act a where a.kind = 'app' and a.app = said ->> 'app' and a.retired_at is null
          order by a.installed_at desc limit 1),
        record_deletion.parent, record_deletion.undoes, record_deletion.root, record_deletion.subjects,
        reported || record_deletion.extra || jsonb_build_object('environment', environment, 'word', 'client'),
        request := record_deletion.answers);
end
$$;

-- The keys of users whose deletion is recorded, except keys that a later operation restored or used.
create or replace function usher.known_deletions(root text, keys text[]) returns text[]
language sql stable
as $$
    select array(
        select k.key from unnest(known_deletions.keys) as k (key)
         where exists (select from usher.erasure e
                         join usher.operation d on d.id = e.operation
                        where e.root = known_deletions.root and e.gone and sha256(e.salt || convert_to(k.key, 'UTF8')) = any (e.deleted)
                          and not exists (select from usher.operation o
                                           where o.at > d.at and (o.undoes = d.id or o.root = e.root and o.subjects @> array[k.key]))))
$$;

-- Records a deletion, and erases the records about the deleted users from the audit log. Returns the number of erased operations and
-- changes. `standing` is the number of the users' rows that still exist; `is_whole` is true if all of them exist. For operations that also
-- affected other users, the record keeps some data (see `remains`). If a row of a user is already deleted, the record keeps no such data.
-- usher can't read this user's email, so it doesn't know which texts contain the email.
create or replace function usher.record_erasure(
    request jsonb, root jsonb, keys text[], forgotten text[], standing bigint, is_whole boolean, claim jsonb
) returns bigint
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
    id constant uuid := request ->> 'operation';
    deletion constant uuid := request ->> 'parent';
    name constant text := root ->> 'name';
    claim_digest constant text := encode(sha256(convert_to(claim::text, 'UTF8')), 'hex');
    emptied bigint;
begin
    perform usher.record_deletion(
        id, 'erasure', 'committed', 'account delete', request, parent := deletion, root := name,
        answers := (select r.operation from usher.request r join usher.operation o on o.id = r.operation
                     where r.answer is null and o.root = name and o.payload -> 'asks' ->> 'kind' = 'deletion' and o.subjects <@ forgotten
                     order by o.at limit 1),
        extra := jsonb_strip_nulls(jsonb_build_object(
            'final', true, 'claim', claim_digest,
            'remains', case when is_whole then usher.remains(name, request -> 'root', root ->> 'key', root ->> 'key_type', forgotten) end)));
    emptied := usher.empty(
        id, deletion, name, request -> 'root', root ->> 'key', root ->> 'key_type', forgotten,
        (root ->> 'is_declared')::boolean or not exists (select from usher.act a where a.kind = 'app'));
    insert into usher.erasure (operation, root, "column", type, equals, keys, standing, by_operator, salt, deleted)
    select id, name, root ->> 'key', root ->> 'key_type', root ->> 'key_equals', record_erasure.keys, record_erasure.standing,
           usher.is_checked_as_operator((root ->> 'relation')::oid), s.salt,
           array(select sha256(s.salt || convert_to(k.key, 'UTF8')) from jsonb_array_elements_text(claim -> 'keys') as k (key))
      -- All deletions from one table of users share the salt.
      from (select coalesce((select e.salt from usher.erasure e where e.root = name and e.salt is not null limit 1),
                            uuid_send(gen_random_uuid())) as salt offset 0) s;
    return emptied;
end
$$;

-- Begins the deletion of accounts; must be the first write of its transaction. Records the operator, the environment and the reason, and
-- erases the records about the users from the audit log. usher reads keys and emails from the users' rows. The transaction can commit only
-- after it has deleted these rows.
--
-- The request: {"operation", "parent", "app", "root": {"schema", "table", "key"}, "keys", ...}. Returns the number of erased operations and
-- changes, the number of existing rows, and the claim: a document with a secret, which a restore needs. Only the archive contains the
-- claim; the audit log has its digest. If another session holds a lock, returns only the locks.
create or replace function usher.erase(
    request jsonb, out emptied bigint, out standing bigint, out locks bigint[], out claim jsonb
)
language plpgsql security definer set search_path = pg_catalog, pg_temp set row_security = off
as $$
declare
    id constant uuid := request ->> 'operation';
    deletion constant uuid := request ->> 'parent';
    root record;
    -- The requested keys as the audit log records them, and the keys whose records are erased from the audit log.
    keys text[];
    forgotten text[];
    busy jsonb;
begin
    perform usher.refuse_forbidden('usher_eraser', 'account delete');
    perform usher.refuse_written();
    select r.* into root from usher.account_root(request -> 'root', request ->> 'app', request -> 'keys') r;
    -- The parent must be a committed deletion in batches. It can delete only the users with which it began.
    if deletion is not null and not exists (
           select from usher.operation o
            where o.id = deletion and o.kind = 'bulk' and o.command = 'account delete' and o.outcome = 'committed' and o.root = root.name
              and usher.outcome(o.id) in ('running', 'partial') and root.keys <@ o.subjects and o.subjects <@ root.keys) then
        raise exception 'operation % is not a deletion of these users in batches', deletion using errcode = 'US005', detail = 'other_deletion';
    end if;
    -- Reads the keys from the rows, so that they have the form in the audit log.
    execute format('select coalesce(array_agg(distinct t.%I::%s::text), ''{}''), count(*) from %s t where t.%I %s any ($1::%s[])',
                   root.key, root.key_type, root.name, root.given, root.given_equals, root.given_type)
       into keys, standing using root.keys;
    claim := jsonb_build_object(
        'deletion', id, 'keys', to_jsonb(keys), 'secret', gen_random_uuid(),
        'root', jsonb_build_object('schema', request #> '{root,schema}', 'table', request #> '{root,table}', 'key', root.key));
    forgotten := keys;
    if root.given = root.key then
        -- If a row no longer exists, usher erases the records about its key in two cases: if its deletion is recorded and no later
        -- operation has this key, or if the operator is the owner of this schema.
        keys := array(select k.key from unnest(keys || root.keys) as k (key) group by 1 order by 1);
        if standing < cardinality(root.keys) and current_setting('transaction_isolation') <> 'read committed' then
            perform usher.refuse_stale(transaction_timestamp());
        end if;
        forgotten := case when usher.has_role(null) then keys
                          else forgotten || usher.known_deletions(root.name, array(select unnest(keys) except select unnest(forgotten))) end;
    elsif standing < cardinality(root.keys) then
        raise exception '% of the % given rows of % don''t exist any more, so usher can''t read their %',
              cardinality(root.keys) - standing, cardinality(root.keys), root.name, root.key using errcode = 'no_data_found';
    end if;
    -- With more than a hundred users, `lock_keys` takes no locks of users. Then the deletion must fail if an action changed a user meanwhile.
    if cardinality(keys) > 100 and current_setting('transaction_isolation') = 'read committed' then
        raise exception 'a deletion of more than a hundred users needs the isolation level REPEATABLE READ' using errcode = 'invalid_transaction_state';
    end if;
    -- An action on these users takes the same locks.
    busy := usher.lock_keys(null, request -> 'root', 'users', null, keys, is_deletion => true);
    locks := array(select jsonb_array_elements_text(busy -> 'locks')::bigint);
    if busy is not null then
        claim := null;
        return;
    end if;
    emptied := usher.record_erasure(request, to_jsonb(root), keys, forgotten, standing, standing = cardinality(root.keys), claim);
end
$$;

-- Refuses a deletion if rows of the users still exist. Refuses a restore unless all rows of the users exist again. Counts the rows with the
-- rights of the caller.
create or replace function usher.refuse_root(erasure usher.erasure) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp set row_security = off
as $$
declare
    is_deletion constant boolean := erasure.back is null;
    standing bigint;
begin
    execute format('select count(*) from %s t where t.%I %s any ($1::%s[])',
                   erasure.root, erasure."column", erasure.equals, erasure.type)
       into standing using erasure.keys;
    if (case when is_deletion then standing > 0 else erasure.standing > 0 or standing < cardinality(erasure.keys) end) then
        raise exception 'this transaction recorded that it will % rows of %, but it did not', case when is_deletion then 'delete' else 'insert' end, erasure.root
              using errcode = 'restrict_violation', table = erasure.root;
    end if;
end
$$;

-- Checks a deletion or restore at the commit with `refuse_root`, and records the result.
--
-- A deferred trigger can fire before the commit (`set constraints`), and other triggers can fire after it. So this trigger decides only
-- during the commit, and only if nothing was written since its last call. Then it makes the transaction read-only. To detect the commit,
-- the trigger updates its own row (`asks`). If this update fires the trigger immediately, constraints are immediate, so the commit hasn't
-- begun.
create or replace function usher.guard_erasure() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set row_security = off
as $$
declare
    erasure usher.erasure;
    is_at_once boolean;
    written_last bigint;
    written_now bigint;
begin
    select e.* into erasure from usher.erasure e where e.operation = new.operation;
    if erasure.gone or erasure.back or erasure.round <> new.round then return null; end if;
    if erasure.asks then
        update usher.erasure e set at_once = true where e.operation = new.operation;
        return null;
    end if;
    -- The trigger `erasure_asks_operator` also counts the rows, as the operator, just before this trigger fires again.
    set constraints usher.erasure_asks_operator deferred;
    written_last := (select e.cmin::text::bigint from usher.erasure e where e.operation = new.operation);
    update usher.erasure e set round = e.round + 1, asks = true, at_once = false where e.operation = new.operation;
    update usher.erasure e set asks = false where e.operation = new.operation returning e.at_once into is_at_once;
    if is_at_once then
        set constraints usher.erasure_guard deferred;
        update usher.erasure e set round = e.round + 1 where e.operation = new.operation;
        return null;
    end if;
    -- Decides only if no other command ran between the two updates above.
    written_now := (select e.cmin::text::bigint from usher.erasure e where e.operation = new.operation);
    if written_now <> written_last + 2 then return null; end if;
    if not erasure.by_operator then perform usher.refuse_root(erasure); end if;
    update usher.erasure e
       set gone = erasure.back is null, back = case when erasure.back is not null then true end, keys = null
     where e.operation = new.operation;
    -- A local setting would end with a function of the caller that has a SET clause for this setting.
    perform set_config('transaction_read_only', 'on', false);
    return null;
end
$$;

create constraint trigger erasure_guard after insert or update of round on usher.erasure
       deferrable initially deferred for each row execute function usher.guard_erasure();

alter table usher.erasure enable always trigger erasure_guard;

-- Triggers fire in the order of their names, so this trigger fires before `erasure_guard`, which notices writes between the two.
create constraint trigger erasure_asks_operator after insert or update of round on usher.erasure
       deferrable initially deferred for each row execute function usher.look_as_operator();

alter table usher.erasure enable always trigger erasure_asks_operator;

-- Begins the restore of accounts; must be the first write of its transaction. Records the operator, the environment, the reason, and the
-- deletion that created the claim. The transaction can commit only if the rows of the claim exist again. A deletion can be restored only
-- once.
--
-- The request: {"operation", "app", "claim", ...}. Returns the locks if another session holds one of them, else an empty array.
create or replace function usher.restore(request jsonb) returns bigint[]
language plpgsql security definer set search_path = pg_catalog, pg_temp set row_security = off
as $$
declare
    id constant uuid := request ->> 'operation';
    claim constant jsonb := request -> 'claim';
    claim_digest constant text := encode(sha256(convert_to(claim::text, 'UTF8')), 'hex');
    deletion usher.operation;
    root record;
    busy jsonb;
    standing bigint;
    restoring uuid;
begin
    perform usher.refuse_forbidden('usher_eraser', 'account restore');
    perform usher.refuse_written();
    -- The archive must belong to a deletion in this database.
    select o.* into deletion from usher.operation o where o.id = (claim ->> 'deletion')::uuid;
    if (deletion.kind, deletion.outcome, deletion.payload ->> 'claim')
       is distinct from ('erasure', 'committed', claim_digest) then
        raise exception 'this archive does not belong to the deletion % of this database', claim ->> 'deletion'
              using errcode = 'US005', detail = 'other_archive';
    end if;
    select r.* into root from usher.account_root(claim -> 'root', request ->> 'app', claim -> 'keys') r;
    -- With more than a hundred users, `lock_keys` takes no locks of users. So a lock for the deletion prevents two restores at the same time.
    busy := coalesce(usher.take_locks(array[hashtextextended('usher restore ' || deletion.id, 0)]),
                     usher.lock_keys(null, claim -> 'root', 'users', null, root.keys));
    if busy is not null then return array(select jsonb_array_elements_text(busy -> 'locks')::bigint); end if;
    select u.id into restoring from usher.operation u where u.undoes = deletion.id limit 1;
    if restoring is not null then
        raise exception 'the archive was already restored, by operation %', restoring
              using errcode = 'US006', detail = 'restored',
                    hint = format('`usher audit show %s` shows that restore', restoring);
    end if;
    execute format('select count(*) from %s t where t.%I %s any ($1::%s[])',
                   root.name, root.given, root.given_equals, root.given_type)
       into standing using root.keys;
    perform usher.record_deletion(
        id, 'restore', 'committed', 'account restore', request, undoes := deletion.id, root := root.name,
        extra := jsonb_build_object('final', true, 'target', 'an archive', 'claim', claim_digest));
    insert into usher.erasure (operation, root, "column", type, equals, keys, standing, back, by_operator)
    values (id, root.name, root.given, root.given_type, root.given_equals, root.keys, standing, false, usher.is_checked_as_operator(root.relation));
    return '{}';
end
$$;

-- Records a step of a deletion that the caller reports: {"part", "operation", "parent", "app", ...}. The steps:
--   begin     A deletion in batches began. "root" and "keys" allow the next run to find the deletion.
--   batch     Some rows were deleted.
--   end       The deletion ended with an "outcome"; `committed` is allowed only in the transaction that deletes the users' rows.
--   archive   The deleted rows were written to a file.
create or replace function usher.record_deletion_step(request jsonb) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    part constant text := request ->> 'part';
    own constant uuid := request ->> 'operation';
    deletion constant uuid := request ->> 'parent';
    outcome constant text := coalesce(request ->> 'outcome', 'committed');
    kind constant text := '{"begin": "bulk", "batch": "batch", "end": "end", "archive": "batch"}'::jsonb ->> part;
    command constant text := 'account delete' || case when part = 'archive' then ' archive' else '' end;
    root record;
    is_of_deletion constant boolean := exists (
        select from usher.operation o
         where o.id = deletion and o.parent is null and o.outcome = 'committed'
           and (o.kind = 'erasure' or o.kind = 'bulk' and o.command = 'account delete'));
    is_open constant boolean := is_of_deletion and exists (
        select from usher.operation o
         where (o.id = deletion or o.parent = deletion) and o.kind = 'erasure' and o.transaction = pg_current_xact_id());
    is_finished constant boolean := exists (
        select from usher.operation o
         where o.parent = deletion and o.kind = 'end' and o.outcome = 'committed' and o.transaction <> pg_current_xact_id());
begin
    perform usher.refuse_forbidden('usher_eraser', 'account delete');
    -- Only the transaction of the deletion can record its archive and its success.
    if kind is null or part <> 'begin' and not is_of_deletion or part = 'archive' and not is_open or is_finished
       or part <> 'end' and outcome <> 'committed'
       or part = 'end' and outcome not in ('partial', 'refused', 'failed') and (outcome <> 'committed' or not is_open) then
        raise exception 'a step of the kind % and the outcome % of the deletion % can''t be recorded here', part, outcome, deletion
              using errcode = 'US005', detail = 'wrong_part';
    end if;
    if part = 'begin' then
        select r.* into root from usher.account_root(request -> 'root', request ->> 'app', request -> 'keys') r;
        perform usher.record_deletion(own, kind, outcome, command, request, root := root.name, subjects := root.keys, extra := '{"final": true}');
    else
        perform usher.record_deletion(own, kind, outcome, command, request, deletion);
    end if;
end
$$;
