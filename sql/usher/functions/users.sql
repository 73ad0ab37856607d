-- The functions that find and lock the users of an action.

-- The keys that a query of an app file returns. The parameters of the query are the time, the subjects and the arguments of an action.
create or replace function usher.query_keys(query text, at timestamptz, keys text[], arguments jsonb) returns text[]
language plpgsql volatile
as $$
declare
    found text[];
begin
    execute format('select coalesce(array_agg(q.key), ''{}'') from (%s) q (key)', query)
       into found using query_keys.at, query_keys.keys, query_keys.arguments;
    return found;
end
$$;

-- The rows that some queries return, as one list of JSON objects. The parameters of the queries are the time, the subjects and the arguments
-- of an action.
create or replace function usher.collected(
    queries text[], at timestamptz default null, keys text[] default null, arguments jsonb default null
) returns jsonb
language plpgsql volatile
as $$
declare
    query text;
    own jsonb;
    found jsonb := '[]';
begin
    foreach query in array collected.queries loop
        execute format('select coalesce(jsonb_agg(to_jsonb(r)), ''[]'') from (%s) r', query)
           into own using collected.at, collected.keys, collected.arguments;
        found := found || own;
    end loop;
    return found;
end
$$;

-- The users of an action: its subjects if they are users, else the users to whom its objects belong.
create or replace function usher.users(act usher.action, keys text[], at timestamptz, arguments jsonb) returns text[]
language sql volatile
as $$
    select case when act.subject = 'users' then users.keys
                when act.owners is null or cardinality(users.keys) = 0 then '{}'
                else usher.query_keys(act.owners, users.at, users.keys, users.arguments) end
$$;

-- All users whom an action on some subjects affects: the users of the subjects, and the users in its arguments.
create or replace function usher.affected_users(act usher.action, keys text[], at timestamptz, arguments jsonb) returns text[]
language sql volatile
as $$
    select u.keys || case when act.named is null then '{}' else array(
               select distinct n.key from unnest(usher.query_keys(act.named, affected_users.at, affected_users.keys, affected_users.arguments)) n (key)
                where n.key <> all (u.keys) order by 1) end
      from (select usher.users(act, affected_users.keys, affected_users.at, affected_users.arguments) as keys offset 0) u
$$;

-- The given keys in the printed form of their type, without duplicates, in the given order. The same key can be typed in several forms.
create or replace function usher.keys(given jsonb, type text) returns text[]
language plpgsql stable
as $$
declare
    found text[];
begin
    if coalesce(nullif(given, 'null'), '[]') = '[]' then return '{}'; end if;
    if type is null then
        raise exception 'the action has no argument keys' using errcode = 'US002', detail = 'no_argument';
    end if;
    execute format(
        'select array_agg(k.key order by k.place)
           from (select (x.key::%s)::text as key, min(x.place) as place
                   from jsonb_array_elements_text($1) with ordinality as x (key, place)
                  group by 1) k', type)
       into found using given;
    return found;
end
$$;

-- The recorded values of a column that are keys of the given users, each with the key. The column can print a key in another form than the
-- table of users, such as 5 for the key 5.00. So the query converts the values to the type of the column, then to the type of the keys. It
-- compares arrays, because these use the operator of the type under any search path.
--
-- A value that can't be converted is not a key; the function finds such values by halving the list. A type that isn't from Postgres can
-- belong to an operator, and its functions would run as the owner. So the query doesn't convert values to such a type of a column.
create or replace function usher.keys_in(relation oid, name text, recorded text[], keys text[], type text) returns table (value text, key text)
language plpgsql stable rows 10
as $$
declare
    half constant integer := cardinality(recorded) / 2;
begin
    return query execute (
        select format('select v.value, k.key from unnest($1) v (value) join unnest($2) k (key) on array[v.value::%s::%s] = array[k.key::%2$s]',
                      case b.typnamespace when 'pg_catalog'::regnamespace then format_type(b.oid, -1) else keys_in.type end, keys_in.type)
          from pg_attribute a join pg_type t on t.oid = a.atttypid join pg_type b on b.oid = coalesce(nullif(t.typbasetype, 0), t.oid)
         where a.attrelid = keys_in.relation and a.attname = keys_in.name)
       using recorded, keys_in.keys;
exception when data_exception or integrity_constraint_violation then
    if half = 0 then return; end if;
    return query select f.* from unnest(array[0, half], array[half, cardinality(recorded)]) as h (low, high)
                  cross join lateral usher.keys_in(relation, keys_in.name, recorded[h.low + 1:h.high], keys_in.keys, keys_in.type) f;
end
$$;

-- The columns of a table with keys of users. `mentions` has the key of the table of users, and foreign keys that lead to it. They can lead
-- through other tables, such as profiles. `is_user` is true if the table itself is a table of users: its primary key is the key of a user.
-- `columns` has the columns that say to which user a row belongs: the key of a table of users, else all of `mentions`.
create or replace function usher.user_columns(
    root jsonb, relation oid, out columns text[], out mentions text[], out is_user boolean
)
language plpgsql stable
as $$
declare
    key constant text := root ->> 'key';
    -- An app whose users come from a view has no table of users.
    home constant oid := to_regclass(quote_ident(root ->> 'schema') || '.' || quote_ident(root ->> 'table'));
    own_key text := key;
begin
    mentions := array(
        with recursive reference (name, referred, number) as (
            select a.attname::text, a.attrelid, a.attnum
              from pg_attribute a
             where a.attrelid = user_columns.relation
               and (a.attname = key
                    or a.attnum = any (array(select unnest(f.conkey) from pg_constraint f where f.contype = 'f' and f.conrelid = a.attrelid)))
             union
            select r.name, n.referred, n.number
              from reference r
             cross join lateral (
                   select f.confrelid, c.other
                     from pg_constraint f
                    cross join unnest(f.conkey, f.confkey) as c (own, other)
                    where f.contype = 'f' and f.conrelid = r.referred and c.own = r.number
                    union all
                   -- A partition or an inheriting table has the columns of its parent table.
                   select p.attrelid, p.attnum
                     from pg_inherits i
                     join pg_attribute a on a.attrelid = i.inhrelid and a.attnum = r.number
                     join pg_attribute p on p.attrelid = i.inhparent and p.attname = a.attname
                    where i.inhrelid = r.referred) n (referred, number)
        )
        select distinct r.name
          from reference r
          join pg_attribute a on a.attrelid = r.referred and a.attnum = r.number and a.attname = key
         where r.referred = home);
    if user_columns.relation <> home then
        own_key := (select a.attname from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
                     where i.indrelid = user_columns.relation and i.indisprimary and i.indnkeyatts = 1);
    end if;
    is_user := coalesce(own_key = any (mentions), false);
    columns := case when is_user then array[own_key] else mentions end;
end
$$;

-- The recorded changes of some operations that affect users in `keys`. `mentioned` has those users that the changed row refers to, and
-- `owners` has those users that own the row (see `user_columns`), or null. Also returns the changes that don't show the owners of the row.
-- Then `mentioned` is null, unless the change contains one of the users.
--
-- Nested loops, merge joins and Memoize are off, because the planner can't estimate the numbers of these rows.
create or replace function usher.changes_of_users(
    operations uuid[], root jsonb, keys text[], type text
) returns table (operation uuid, ordinal integer, relation text, owners text[], mentioned text[])
language sql stable set enable_nestloop = off set enable_mergejoin = off set enable_memoize = off set work_mem = '64MB'
as $$
    with places as materialized (
        select r.name as relation, t.oid, m.name, m.name is null or m.name = any (u.columns) as is_owner
          from (select distinct c.payload ->> 'table' from usher.change c where c.operation = any (changes_of_users.operations)) r (name)
          join pg_namespace n on true
          -- Two tables can have the same name here, because a schema or a table can have a dot in its name.
          join pg_class t on t.relnamespace = n.oid and t.relkind in ('r', 'p') and n.nspname || '.' || t.relname = r.name
         cross join lateral usher.user_columns(changes_of_users.root, t.oid) u
          left join unnest(u.mentions) m (name) on true),
    recorded as materialized (
        select c.operation, c.ordinal, p.*, i.image is not null as is_recorded, i.image ->> p.name as value
          from usher.change c
          join places p on p.relation = c.payload ->> 'table'
          left join lateral unnest(array[c.payload -> 'key', c.payload -> 'before', c.payload -> 'after', c.payload -> 'users']) i (image)
                         on i.image ? p.name
         where c.operation = any (changes_of_users.operations) and c.payload is not null),
    known as materialized (
        select d.oid, d.name, k.value, k.key
          from (select r.oid, r.name, array_agg(r.value) as found
                  from (select distinct r.oid, r.name, r.value from recorded r where r.value is not null) r group by 1, 2) d
         cross join lateral usher.keys_in(d.oid, d.name, d.found, changes_of_users.keys, changes_of_users.type) k)
    select r.operation, r.ordinal, r.relation, array_agg(k.key) filter (where r.is_owner), array_agg(k.key) filter (where k.key is not null)
      from recorded r left join known k using (oid, name, value)
     where k.key is not null or r.is_owner and not r.is_recorded
     group by 1, 2, 3
$$;

-- The number of other users whose rows the statements of an action changed, with the tables; null if there are none. Other users are users
-- who are neither subjects nor arguments of the action. Refuses the action if it updated or deleted such users in the table of users,
-- because the preview wouldn't show them. Rows that triggers wrote don't count: for tables in which triggers also wrote, `told` has the
-- keys of the rows that the statements wrote.
create or replace function usher.count_foreign_users(
    act usher.action, keys text[], at timestamptz, arguments jsonb, changes jsonb, told jsonb
) returns jsonb
language plpgsql volatile
as $$
declare
    concerned constant text[] := usher.affected_users(act, count_foreign_users.keys, at, arguments);
    beside record;
begin
    with written as (
        select c.number, u.place, c.of ->> 'table' as relation, (c.of #>> '{whose,is_user}')::boolean as is_user,
               (c.of #>> '{whose,table}')::oid as oid, v.name, v.value
          from jsonb_array_elements(count_foreign_users.changes) with ordinality as c (of, number)
         cross join lateral (values (1, c.of #> '{whose,before}'), (2, c.of #> '{whose,after}')) as u (place, columns)
         cross join lateral jsonb_each_text(nullif(u.columns, 'null')) as v (name, value)
         where v.value is not null
           and (not told ? (c.of #>> '{whose,table}')
                or (c.of #>> '{whose,table}', c.of #> '{whose,key}') in (select t.key, k.value from jsonb_each(told) t, jsonb_array_elements(t.value) k))),
    known as (
        select distinct d.oid, d.name, k.value
          from (select w.oid, w.name, array_agg(distinct w.value) as found from written w group by 1, 2) d
         cross join lateral usher.keys_in(d.oid, d.name, d.found, concerned, act.key_type) k)
    select count(distinct r.value) filter (where r.is_user) as others, count(distinct r.value) filter (where not r.is_user) as users,
           jsonb_agg(distinct r.relation) filter (where not r.is_user) as tables
      into beside
      from (select w.*, bool_or(k.value is not null) over (partition by w.number, w.place) as is_concerned
              from written w left join known k using (oid, name, value)) r
       -- A user whom the action inserted doesn't count as another user.
     where not r.is_concerned and (r.place = 1 or not r.is_user);
    if beside.others > 0 then
        raise exception '`%` would change % other users, not only the named ones; nothing was changed',
              act.command, beside.others
              using errcode = 'US003', detail = 'others',
                    hint = 'limit each @do to the named users; to change other users too, add an argument of the type user';
    end if;
    return (select jsonb_build_object('users', beside.users, 'tables', beside.tables) where beside.users > 0);
end
$$;

-- Refuses an action whose statements would change rows even without a subject. As a test, the function runs the statements with no key and
-- with a null key, and rolls them back. The test isn't needed if every changed row has the key of a subject.
create or replace function usher.refuse_unlimited_steps(
    app jsonb, act usher.action, relations jsonb, deferred text, keys text[], at timestamptz, arguments jsonb, counts jsonb, written jsonb
) returns void
language plpgsql volatile
as $$
declare
    kept constant jsonb := (select coalesce(jsonb_agg(s.value order by s.place), '[]')
                              from jsonb_array_elements(act.steps) with ordinality as s (value, place)
                             where (s.value ->> 'keeps')::boolean);
    limited usher.action := act;
    nobody text[];
    changed bigint := 0;
begin
    if kept = '[]' or not exists (
        select from jsonb_each(refuse_unlimited_steps.counts) c
         where (c.value ->> 2)::bigint > 0
            or (c.value ->> 1)::bigint > 0
               and exists (select from jsonb_array_elements(written -> c.key) with ordinality as w (key, place)
                             left join lateral jsonb_array_elements_text(w.key) as v (value) on true
                             left join unnest(refuse_unlimited_steps.keys) as k (key) on k.key = v.value
                            group by w.place
                           having count(k.key) = 0)) then
        return;
    end if;
    limited.each := null;
    limited.steps := kept;
    -- The test runs once without keys and once with a null key, because a statement may check if there are keys, or exclude keys.
    for nobody in select n.keys from (values ('{}'::text[]), (array[null])) as n (keys) loop
        exit when changed > 0;
        begin
            changed := coalesce((select sum((c.value ->> 1)::bigint + (c.value ->> 2)::bigint)
                                   from jsonb_each(usher.run_pass(app, limited, relations,
                                                              deferred, nobody, at, arguments) -> 'counts') c), 0);
            raise sqlstate 'UA001';
        exception
            when sqlstate 'UA001' then null;
            -- If the statements fail without subjects, the action is limited to its subjects.
            when sqlstate 'UA005' then return;
        end;
    end loop;
    if changed > 0 then
        raise exception '`%` isn''t limited to its users or objects: with none selected, it would still change % rows; nothing was changed',
              act.command, changed
              using errcode = 'US003', detail = 'loose',
                    hint = 'limit each @do to the selected users or objects, as in `where id = any (:users)` or `where id = any (:keys)`';
    end if;
end
$$;

-- The names of up to twenty users, by key; empty if the app has no emails.
create or replace function usher.named_users(app jsonb, keys text[], at timestamptz) returns jsonb
language plpgsql volatile
as $$
declare
    names jsonb;
begin
    if app ->> 'labels' is null or cardinality(named_users.keys) = 0 then return '{}'; end if;
    execute format('select jsonb_object_agg(l.key, l.label) from (%s) l (key, label)', app ->> 'labels')
       into names using named_users.at, named_users.keys[:20];
    return coalesce(names, '{}');
end
$$;

-- The names of up to twenty subjects in one line.
create or replace function usher.labelled(app jsonb, subject text, keys text[], at timestamptz) returns text
language sql volatile
as $$
    select array_to_string(array(select coalesce(n.names ->> k.key, k.key) from unnest(labelled.keys[:20]) k (key)), ', ')
           || case when cardinality(labelled.keys) > 20 then ', ...' else '' end
      from (select case when labelled.subject = 'users' then usher.named_users(app, labelled.keys, labelled.at) end as names offset 0) n
$$;

-- The table of an app's users.
create or replace function usher.root_name(app jsonb) returns text
language sql immutable
as $$ select quote_ident(app -> 'root' ->> 'schema') || '.' || quote_ident(app -> 'root' ->> 'table') $$;

-- Locks the subjects of an action, and the affected users, so that nobody deletes them at the same time. Returns null, or the locks if
-- another session holds one of them. The server's lock table is small, so an action on more than a hundred subjects takes only one lock, for
-- the table of users. Each deletion takes this lock, too. Two actions on the same subjects, one of them on more than a hundred, are kept apart
-- only by row locks. All sessions take the locks in the same order.
create or replace function usher.lock_keys(
    app text, root jsonb, subject text, noun text, keys text[], users text[] default '{}', is_deletion boolean default false
) returns jsonb
language sql volatile
as $$
    select usher.take_locks(coalesce(array_agg(distinct l.lock order by l.lock), '{}'))
      from (select coalesce((root ->> 'schema') || '.' || (root ->> 'table'), lock_keys.app)) as directory (name)
     cross join lateral (
           values (case lock_keys.subject when 'users' then directory.name else lock_keys.app || ' ' || lock_keys.noun end, lock_keys.keys),
                  (directory.name, lock_keys.users)
           ) as named (kind, keys)
     cross join lateral (
           select hashtextextended('usher ' || named.kind || ' ' || k.key, 0)
             from unnest(named.keys) as k (key)
            where cardinality(named.keys) <= 100
            union all
           select hashtextextended('usher users of ' || directory.name, 0)
            where lock_keys.is_deletion or cardinality(named.keys) > 100
           ) as l (lock)
     where l.lock is not null
$$;

-- Takes some locks for this transaction if all are free. Returns null, or a result with the locks if another session holds one of them. The
-- function doesn't wait, because the snapshot must be newer than the lock: the caller waits in another transaction and tries again. Each
-- holder of a lock writes a row of `usher.turn`. So the server raises 40001 if the snapshot is older than the last holder's commit.
create or replace function usher.take_locks(locks bigint[]) returns jsonb
language plpgsql volatile
as $$
declare
    lock bigint;
begin
    foreach lock in array take_locks.locks loop
        if not pg_try_advisory_xact_lock(lock) then
            return jsonb_build_object('outcome', 'locked', 'locks', to_jsonb(take_locks.locks));
        end if;
    end loop;
    insert into usher.turn as t (slot, taken)
    select distinct (l.lock & 65535)::integer, pg_current_xact_id() from unnest(take_locks.locks) as l (lock)
     where l.lock is not null order by 1
        on conflict on constraint turn_pkey do update set taken = excluded.taken;
    return null;
end
$$;
