-- Which users an action concerns.

-- The keys that a query of an app file returns, for an instant, some subjects and the arguments of an action.
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

-- The users whom an action on some subjects is about.
create or replace function usher.users(act jsonb, keys text[], at timestamptz, arguments jsonb) returns text[]
language plpgsql volatile
as $$
begin
    if act ->> 'subject' = 'users' then return users.keys; end if;
    if act ->> 'owners' is null or cardinality(users.keys) = 0 then return '{}'; end if;
    return usher.query_keys(act ->> 'owners', users.at, users.keys, users.arguments);
end
$$;

-- All users whom an action on some subjects concerns: those whom it is about, and those whom its arguments name.
create or replace function usher.affected_users(act jsonb, keys text[], at timestamptz, arguments jsonb) returns text[]
language plpgsql volatile
as $$
declare
    found constant text[] := usher.users(act, affected_users.keys, at, arguments);
begin
    if act ->> 'named' is null then return found; end if;
    return found || array(select distinct n.key from unnest(usher.query_keys(act ->> 'named', at, affected_users.keys, arguments)) n (key)
                           where n.key <> all (found) order by 1);
end
$$;

-- Keys as their type writes them, without duplicates, in their order: one key can be typed in two ways.
create or replace function usher.keys(given jsonb, type text) returns text[]
language plpgsql stable
as $$
declare
    argument constant text := 'keys';
    found text[];
begin
    if coalesce(nullif(given, 'null'), '[]') = '[]' then return '{}'; end if;
    if type is null then
        raise exception 'there is no argument %', argument using errcode = 'US002', detail = 'no_argument';
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

-- The columns by which the rows of a table refer to users. `is_user` says that each row is a user: in the table of the users, and where
-- the primary key is a foreign key to it. Then that key is the only column.
create or replace function usher.user_columns(root jsonb, relation oid, out columns text[], out is_user boolean)
language plpgsql stable
as $$
begin
    select coalesce(array_agg(distinct c.name) filter (where c.is_user), array_agg(distinct c.name), '{}'), coalesce(bool_or(c.is_user), false)
      into columns, is_user
      from pg_class r
      join pg_namespace n on n.oid = r.relnamespace
      join pg_attribute k on k.attrelid = r.oid and k.attname = root ->> 'key'
     cross join lateral (
           select k.attname::text, true where r.oid = user_columns.relation
            union
           select a.attname, exists (select from pg_index i
                                      where i.indrelid = f.conrelid and i.indisprimary and i.indnkeyatts = 1 and i.indkey[0] = a.attnum)
             from pg_constraint f
             join pg_attribute a on a.attrelid = f.conrelid and a.attnum = f.conkey[1]
            where f.contype = 'f' and f.conrelid = user_columns.relation and f.confrelid = r.oid and f.confkey = array[k.attnum]
           ) as c (name, is_user)
     where n.nspname = root ->> 'schema' and r.relname = root ->> 'table';
end
$$;

-- Whether statements of an action write a table and can't return which rows.
create or replace function usher.is_untold(act jsonb, shape jsonb) returns boolean
language sql immutable
as $$
    select exists (select from jsonb_array_elements(is_untold.act -> 'steps') s (of), jsonb_array_elements(s.of -> 'targets') t (of)
                    where s.of ->> 'returning' is null
                      and is_untold.shape -> 'ancestors' ? ((t.of ->> 'schema') || '.' || (t.of ->> 'name')))
$$;

-- The users to whom rows with some keys refer, as they are now: a JSON list of texts for each row.
create or replace function usher.row_users(shape jsonb, columns text[], keys jsonb) returns jsonb
language plpgsql stable
as $$
declare
    users jsonb;
begin
    execute format(
        'select coalesce(jsonb_agg(distinct jsonb_build_array(%s)), ''[]'') from %s t join jsonb_array_elements($1) e on %s',
        (select string_agg(format('t.%I::text', c.name), ', ') from unnest(row_users.columns) c (name)), shape ->> 'sql', usher.key_join(shape))
       into users using row_users.keys;
    return users;
end
$$;

-- The tables of users, and tables whose rows refer to users, among those that a pass wrote: the columns with the users, whether and where
-- the statements say what they wrote, and how many rows `users_beside` reads.
create or replace function usher.user_tables(root jsonb, act jsonb, shapes jsonb, pass jsonb, is_back boolean)
returns table (oid text, whole jsonb, columns text[], is_user boolean, is_told boolean, places jsonb, number bigint, keeps_keys boolean, of jsonb)
language sql stable
as $$
    select s.key as oid, s.value as whole, u.columns, u.is_user, w.is_told, w.places,
           case when is_back then n.value ->> 2 when u.is_user then n.value ->> 1
                else ((n.value ->> 0)::bigint + (n.value ->> 1)::bigint)::text end::bigint as number,
           (n.value ->> 1)::bigint > 0 and not u.is_user and not is_back and usher.has_key(s.value) as keeps_keys,
           -- Here the users take the place of the key.
           s.value || jsonb_build_object('columns', (
               select jsonb_agg(jsonb_build_object('sql', quote_ident(c.name), 'in_key', true)) from unnest(u.columns) c (name))) as of
      from jsonb_each(shapes) s
      join jsonb_each(user_tables.pass -> 'counts') n on n.key = s.key
     cross join lateral usher.user_columns(root, s.key::oid) u
     cross join lateral (
           -- With Citus, a place is the key.
           select not usher.is_untold(act, s.value)
                  and (not (s.value ->> 'distributed')::boolean
                       or u.is_user and jsonb_path_query_array(s.value, '$.columns[*] ? (@.in_key == true).name') = to_jsonb(u.columns)) as is_told,
                  user_tables.pass -> 'places' -> s.key as places) w
     where u.columns <> '{}' and (u.is_user or not (s.value ->> 'distributed')::boolean)
       and (not w.is_told or w.places is not null)
$$;

-- The users whom an action changes by its own statements although it is neither about them nor names them. What triggers write is
-- the app's own affair. `others` are users whose own rows it updated or deleted; `users` are, by table, those to whom rows refer that
-- it wrote, if they refer to nobody whom it concerns.
--
-- It is called twice for a pass. While the rows are there as the pass left them, it reads what was inserted and updated, and keeps the
-- keys of updated rows (`written`). Once the pass is rolled back, it reads the rows of these keys as they were, and what was deleted:
-- rows lie where the statements say they wrote them only then. If a statement can't say where it wrote, all rows count that the
-- transaction wrote in its table.
create or replace function usher.users_beside(
    app jsonb, act jsonb, keys text[], at timestamptz, arguments jsonb, shapes jsonb, pass jsonb, written jsonb default null
) returns jsonb
language plpgsql volatile
as $$
declare
    root constant jsonb := nullif(app -> 'root', 'null');
    is_back constant boolean := users_beside.written is not null;
    found jsonb := '{"others": [], "users": {}, "written": {}}';
    concerned text[];
    beside jsonb;
    rows jsonb;
    shape record;
begin
    if root is null or act ->> 'subject' <> 'users' or act ->> 'undoes' is not null
       or exists (select from jsonb_array_elements(act -> 'steps') s (of) where not (s.of ->> 'confined')::boolean) then
        return found;
    end if;
    for shape in
        select * from usher.user_tables(root, act, shapes, users_beside.pass, is_back)
    loop
        rows := '[]';
        if shape.number > 0 then
            rows := usher.row_keys(
                shape.of, case when shape.is_told then 'places' when is_back then 'rolled back' else 'written' end,
                case when shape.is_told then shape.places end);
        end if;
        if shape.keeps_keys then
            found := jsonb_set(found, array['written', shape.oid], usher.row_keys(
                shape.whole, case when shape.is_told then 'places' else 'written' end, case when shape.is_told then shape.places end));
        end if;
        if users_beside.written ? shape.oid then
            rows := rows || usher.row_users(shape.whole, shape.columns, users_beside.written -> shape.oid);
        end if;
        if rows = '[]' then continue; end if;
        concerned := coalesce(concerned, usher.affected_users(act, users_beside.keys, at, arguments));
        with named (place, key) as materialized (
            select r.place, v.key
              from jsonb_array_elements(rows) with ordinality as r (users, place)
             cross join lateral jsonb_array_elements_text(r.users) as v (key)
             where v.key is not null
        )
        select jsonb_agg(distinct w.key) into beside
          from named w
         where w.place not in (select o.place from named o join unnest(concerned) c (key) on c.key = o.key);
        if beside is null then continue; end if;
        found := case when shape.is_user then jsonb_set(found, '{others}', (found -> 'others') || beside)
                      else jsonb_set(found, array['users', shape.whole ->> 'name'], beside) end;
    end loop;
    return found;
end
$$;

-- Refuses an action that changes other users than it is about or names: nobody would see the effect on them in the preview. A key
-- that no user had doesn't count.
create or replace function usher.refuse_others(app jsonb, act jsonb, others jsonb) returns void
language plpgsql volatile
as $$
declare
    root constant jsonb := app -> 'root';
    number bigint;
begin
    if refuse_others.others = '[]' then return; end if;
    execute format('select count(*) from %I.%I t where t.%I::text in (select jsonb_array_elements_text($1))', root ->> 'schema', root ->> 'table', root ->> 'key')
       into number using refuse_others.others;
    if number > 0 then
        raise exception '`%` would change % other users, not only the named ones; nothing was changed',
              act ->> 'command', number
              using errcode = 'US003', detail = 'others',
                    hint = 'limit each @do to the named users; to change other users too, add an argument of the type user';
    end if;
end
$$;

-- Refuses statements that change rows without regard to their subjects: run for nobody, they must change nothing. If every changed
-- row has the key of a subject, that isn't tried.
create or replace function usher.refuse_loose(
    app jsonb, act jsonb, relations jsonb, keys text[], at timestamptz, arguments jsonb, counts jsonb, written jsonb
) returns void
language plpgsql volatile
as $$
declare
    kept constant jsonb := (select coalesce(jsonb_agg(s.value order by s.place), '[]')
                              from jsonb_array_elements(act -> 'steps') with ordinality as s (value, place)
                             where (s.value ->> 'keeps')::boolean);
    nobody text[];
    changed bigint := 0;
begin
    if kept = '[]' or not exists (
        select from jsonb_each(refuse_loose.counts) c
         where (c.value ->> 2)::bigint > 0
            or (c.value ->> 1)::bigint > 0
               and exists (select from jsonb_array_elements(written -> c.key) with ordinality as w (key, place)
                             left join lateral jsonb_array_elements_text(w.key) as v (value) on true
                             left join unnest(refuse_loose.keys) as k (key) on k.key = v.value
                            group by w.place
                           having count(k.key) = 0)) then
        return;
    end if;
    -- No key, and a null key: a statement may ask whether there are keys, or exclude keys.
    for nobody in select n.keys from (values ('{}'::text[]), (array[null])) as n (keys) loop
        exit when changed > 0;
        begin
            changed := coalesce((select sum((c.value ->> 1)::bigint + (c.value ->> 2)::bigint)
                                   from jsonb_each(usher.run_pass(app, (act - 'each') || jsonb_build_object('steps', kept), relations,
                                                              nobody, at, arguments) -> 'counts') c), 0);
            raise sqlstate 'UA001';
        exception
            when sqlstate 'UA001' then null;
            -- Statements that fail for nobody depend on their subjects.
            when sqlstate 'UA005' then return;
        end;
    end loop;
    if changed > 0 then
        raise exception '`%` would change % rows even without any named user; nothing was changed',
              act ->> 'command', changed
              using errcode = 'US003', detail = 'loose',
                    hint = 'limit each @do to the named users, as in `where id = any (:users)`';
    end if;
end
$$;

-- Names of some users by key, twenty at most; empty if the app has no emails.
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

-- Names of some subjects in one line, twenty at most.
create or replace function usher.labelled(app jsonb, act jsonb, keys text[], at timestamptz) returns text
language plpgsql volatile
as $$
declare
    names constant jsonb := case when act ->> 'subject' = 'users' then usher.named_users(app, labelled.keys, at) else '{}' end;
begin
    return array_to_string(array(select coalesce(names ->> k.key, k.key) from unnest(labelled.keys[:20]) k (key)), ', ')
           || case when cardinality(labelled.keys) > 20 then ', ...' else '' end;
end
$$;

-- The table of an app's users.
create or replace function usher.root_name(app jsonb) returns text
language sql immutable
as $$ select quote_ident(app -> 'root' ->> 'schema') || '.' || quote_ident(app -> 'root' ->> 'table') $$;

-- The users whom an action concerns and locks, besides its subjects. Of more than a hundred subjects, none.
create or replace function usher.users_to_lock(act jsonb, keys text[], at timestamptz, arguments jsonb) returns text[]
language plpgsql volatile
as $$
begin
    if act ->> 'subject' = 'users' and act ->> 'named' is null or cardinality(users_to_lock.keys) > 100 then return '{}'; end if;
    return usher.affected_users(act, users_to_lock.keys, at, arguments);
end
$$;

-- The advisory locks of an action: its subjects, the same for all app files, and the users whom it concerns, so that none of them
-- is deleted meanwhile. The server's lock table is small, so more than a hundred are not locked: the rows that they write keep two
-- actions apart. Everybody takes locks in this order.
create or replace function usher.locks(app text, root jsonb, act jsonb, keys text[], users text[] default '{}') returns bigint[]
language sql stable
as $$
    select coalesce(array_agg(distinct l.lock order by l.lock), '{}')
      from (select coalesce((root ->> 'schema') || '.' || (root ->> 'table'), locks.app)) as directory (name)
     cross join lateral (
           values (case act ->> 'subject' when 'users' then directory.name else locks.app || ' ' || (act ->> 'noun') end, locks.keys),
                  (directory.name, locks.users)
           ) as named (kind, keys)
     cross join lateral unnest(named.keys) as k (key)
     cross join lateral (select hashtextextended('usher ' || named.kind || ' ' || k.key, 0)) as l (lock)
     where cardinality(named.keys) <= 100 and l.lock is not null
$$;

-- Takes some locks for this transaction: the answer of the function if somebody else holds one, else null.
create or replace function usher.take_locks(locks bigint[]) returns jsonb
language sql volatile
as $$ select case when not usher.try_lock(take_locks.locks) then jsonb_build_object('outcome', 'locked', 'locks', to_jsonb(take_locks.locks)) end $$;

-- Takes some locks for this transaction if all are free. Nobody waits here: a snapshot must not be older than its lock, so the
-- caller waits elsewhere and begins again. A caller whose snapshot was taken before the last holder committed gets 40001: that
-- holder wrote a row of `usher.turn`.
create or replace function usher.try_lock(locks bigint[]) returns boolean
language plpgsql volatile
as $$
declare
    lock bigint;
begin
    foreach lock in array try_lock.locks loop
        if not pg_try_advisory_xact_lock(lock) then return false; end if;
    end loop;
    insert into usher.turn as t (slot, taken)
    select distinct (l.lock & 65535)::integer, pg_current_xact_id() from unnest(try_lock.locks) as l (lock)
     where l.lock is not null order by 1
        on conflict on constraint turn_pkey do update set taken = excluded.taken;
    return true;
end
$$;
