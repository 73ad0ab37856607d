-- The functions that run and record a batch by a single SQL statement.

-- Runs one statement that updates rows of one table and records the changes, under the search path of the app. Returns the counts of the
-- statement: {written, straying, ...}. Raises UA006 if the server counted another number of updated rows or rows of other tables, or if
-- the statement changed rows that it should not (see `update_statement`); the caller then rolls back. The parameters of the statement are the time, the keys, the arguments, the
-- operation, and an earlier operation.
create or replace function usher.run_at_once(
    app jsonb, relation text, statement text, at timestamptz, keys text[], arguments jsonb, operation uuid, earlier uuid
) returns jsonb
language plpgsql volatile
as $$
declare
    deferred constant text := usher.deferred();
    before constant jsonb := usher.counters();
    guarded constant jsonb := usher.guarded();
    after jsonb;
    done jsonb;
begin
    perform pg_catalog.set_config(
        'search_path', pg_catalog.concat_ws(', ', nullif(pg_catalog.btrim(app ->> 'path'), ''), 'pg_temp'), true);
    execute statement into done using at, keys, arguments, operation, earlier;
    if deferred is not null then execute 'set constraints ' || deferred || ' immediate'; end if;
    perform pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    after := usher.counters();
    if (done ->> 'straying')::bigint > 0 or after ->> 'elsewhere' is not null
       or after -> 'servers' is distinct from before -> 'servers'
       or exists (select from jsonb_each(after -> 'counts') n
                   where n.value is distinct from before -> 'counts' -> n.key
                     and (n.key <> relation
                          or (n.value ->> 0)::bigint <> coalesce((before -> 'counts' -> n.key ->> 0)::bigint, 0)
                          or (n.value ->> 2)::bigint <> coalesce((before -> 'counts' -> n.key ->> 2)::bigint, 0)))
       or (done ->> 'written')::bigint <> coalesce((after -> 'counts' -> relation ->> 1)::bigint, 0)
                                          - coalesce((before -> 'counts' -> relation ->> 1)::bigint, 0) then
        raise sqlstate 'UA006';
    end if;
    perform usher.refuse_beside(guarded, (done ->> 'changed')::bigint);
    return done;
end
$$;

-- Extends the SQL of a step that updates one table, so that it also records the old and new values as changes of the operation $4. The SQL
-- returns the numbers of written, changed and straying rows.
--
-- A row is straying if the update changed its key or a secret. If the column `user_key` identifies the user, a row of a user who is not a
-- subject ($2) is straying too.
--
-- From Postgres 18 on, RETURNING returns the old values. Before Postgres 18, a join reads the old values in the statement's snapshot.
create or replace function usher.update_statement(step jsonb, shape jsonb, usual jsonb, user_key text) returns text
language sql stable
as $$
    select format(
$statement$
with w as (
%s
returning %s),
%s
select pg_catalog.jsonb_build_object('written', pg_catalog.count(*), 'changed', pg_catalog.count(d.payload),
                                     'straying', pg_catalog.count(*) filter (where d.is_straying is not false))
  from d
$statement$,
        step ->> 'sql',
        (select case when telling.old then 'with (old as usher_old) ' else '' end
                || string_agg(format(case when telling.old then '%1$s.%2$s, usher_old.%2$s as "was %3$s"' else '%1$s.%2$s' end,
                                     step ->> 'alias', c.of ->> 'sql', c.place), ', ')
           from jsonb_array_elements(shape -> 'columns') with ordinality as c (of, place))
            || case when update_statement.user_key is null then ''
                    else format(', %s.%I::pg_catalog.text as "user"', step ->> 'alias', update_statement.user_key) end,
        usher.recorded_update(
            shape,
            case when telling.old then
                (select format('cross join lateral (select %s) b', string_agg(format('w."was %s" as %s', c.place, c.of ->> 'sql'), ', '))
                   from jsonb_array_elements(shape -> 'columns') with ordinality as c (of, place))
            else format('left join %s b on %s', shape ->> 'sql',
                        (select string_agg(format('b.%1$s = w.%1$s', c.of ->> 'sql'), ' and ')
                           from jsonb_array_elements(shape -> 'columns') as c (of) where (c.of ->> 'in_key')::boolean)) end,
            usual,
            case when update_statement.user_key is not null then 'w."user" operator(pg_catalog.=) any ($2) is not true' end))
      from (select current_setting('server_version_num')::int >= 180000) as telling (old)
$$;

-- The SQL that records the rows that the CTE `w` updated. The CTE `d` has each row, and marks it as straying if its key or a secret
-- changed, because the audit log never records secrets. The CTE `i` writes a change of the operation $4 for each changed row. `before` is
-- the join with the old rows `b`. `usual` has the names of the columns that change in most rows. `stray` is an additional condition for
-- straying rows.
--
-- If only the usual columns of a row change, a single expression builds the JSON. Building JSON of whole rows and removing the unchanged
-- columns would double the time.
create or replace function usher.recorded_update(shape jsonb, before text, usual jsonb, stray text) returns text
language sql stable
as $$
    select format(
$statement$
d as materialized (
    select pg_catalog.row_number() over () - 1 as ordinal, %1$s as is_straying,
           case when %2$s then pg_catalog.to_jsonb(u)
                else (select pg_catalog.jsonb_build_object('table', %3$L::text, 'key', %4$s, 'before', (%5$s) - c.kept, 'after', (%6$s) - c.kept)
                        from (select pg_catalog.array_remove(array[%7$s]::text[], null) as kept offset 0) c
                       where pg_catalog.cardinality(c.kept) < %8$s) end as payload
      from w
      %9$s
     cross join lateral (select %10$s) k
     cross join lateral (select %11$s) o
     cross join lateral (select %12$s) n
     cross join lateral (select %3$L::text as "table", k as key, o as before, n as after) u),
x as materialized (
    select usher.salts((select pg_catalog.count(*) from d)) as salts),
i as (
    insert into usher.change (operation, ordinal, digest, salt, payload)
    select $4, d.ordinal, pg_catalog.sha256(s.salt || pg_catalog.convert_to(d.payload::text, 'UTF8')), s.salt, d.payload
      from d
     cross join lateral (select pg_catalog.substr((select x.salts from x), (d.ordinal * 16 + 1)::integer, 16) as salt offset 0) s
     where d.payload is not null)
$statement$,
        concat_ws(' or ', (select format('row(%s)::record operator(pg_catalog.*<>) row(%s)::record',
                                         string_agg('b.' || (c.of ->> 'sql'), ', '), string_agg('w.' || (c.of ->> 'sql'), ', '))
                             from jsonb_array_elements(parts.fixed) as c (of)), stray),
        concat_ws(' and ',
                  (select coalesce(string_agg(format('row(b.%1$s)::record operator(pg_catalog.*<>) row(w.%1$s)::record', c.of ->> 'sql'), ' and '), 'false')
                     from jsonb_array_elements(parts.free) as c (of) where usual ? (c.of ->> 'name')),
                  (select format('row(%s)::record operator(pg_catalog.*=) row(%s)::record',
                                 string_agg('b.' || (c.of ->> 'sql'), ', '), string_agg('w.' || (c.of ->> 'sql'), ', '))
                     from jsonb_array_elements(parts.free) as c (of) where not usual ? (c.of ->> 'name') having count(*) > 0)),
        shape ->> 'name', usher.object(parts.keyed, 'w'), usher.object(parts.free, 'b'), usher.object(parts.free, 'w'),
        (select string_agg(format('case when row(b.%1$s)::record operator(pg_catalog.*=) row(w.%1$s)::record then %2$L end',
                                  c.of ->> 'sql', c.of ->> 'name'), ', ')
           from jsonb_array_elements(parts.free) as c (of)),
        jsonb_array_length(parts.free),
        recorded_update.before,
        (select string_agg(usher.value(c.of, 'w.' || (c.of ->> 'sql')) || ' as ' || (c.of ->> 'sql'), ', ') from jsonb_array_elements(parts.keyed) as c (of)),
        (select string_agg(usher.value(c.of, 'b.' || (c.of ->> 'sql')) || ' as ' || (c.of ->> 'sql'), ', ')
           from jsonb_array_elements(parts.free) as c (of) where usual ? (c.of ->> 'name')),
        (select string_agg(usher.value(c.of, 'w.' || (c.of ->> 'sql')) || ' as ' || (c.of ->> 'sql'), ', ')
           from jsonb_array_elements(parts.free) as c (of) where usual ? (c.of ->> 'name')))
      from (select jsonb_agg(c.of order by c.place) filter (where k.in_key) as keyed,
                   jsonb_agg(c.of order by c.place) filter (where k.in_key or k.is_secret) as fixed,
                   coalesce(jsonb_agg(c.of order by c.place) filter (where not k.in_key and not k.is_secret), '[]') as free
              from jsonb_array_elements(shape -> 'columns') with ordinality as c (of, place)
             cross join lateral (select (c.of ->> 'in_key')::boolean, (c.of ->> 'secret')::boolean) as k (in_key, is_secret)) parts
$$;

-- The table (`shape`) that an action writes, if the action is a single UPDATE and an earlier batch wrote only this table. Otherwise NULL;
-- usher then compares the rows one by one.
create or replace function usher.updated_table(app jsonb, act jsonb, relations jsonb, earlier uuid, out shape jsonb, out usual jsonb)
language plpgsql stable
as $$
declare
    step constant jsonb := act -> 'steps' -> 0;
    target constant jsonb := step -> 'targets' -> 0;
    reach constant jsonb := relations -> usher.relation_name(target);
    seen constant jsonb[] := array(select h.payload from usher.change h where h.operation = updated_table.earlier order by h.ordinal limit 100);
begin
    if act ->> 'each' is not null or act ->> 'subject' <> 'users' or act -> 'impacts' <> '[]'
       or jsonb_array_length(act -> 'steps') <> 1 or jsonb_array_length(step -> 'targets') <> 1
       or step ->> 'returning' is null or target ->> 'verb' is distinct from 'update'
       or reach ->> 'distributed' is not null or jsonb_array_length(reach -> 'tables') <> 1 then
        return;
    end if;
    shape := usher.shape((reach -> 'tables' ->> 0)::oid, array(select jsonb_array_elements_text(app -> 'secrets')));
    if shape ->> 'key' is null or jsonb_path_exists(shape, '$.columns[*] ? (@.form == "name")')
       or exists (select from unnest(seen) s (change)
                   where s.change ->> 'table' <> shape ->> 'name' or s.change ? 'secrets'
                      or jsonb_typeof(s.change -> 'before') is distinct from 'object'
                      or jsonb_typeof(s.change -> 'after') is distinct from 'object') then
        shape := null;
    end if;
    -- Most rows change in the same columns as the first recorded row.
    usual := coalesce((select jsonb_agg(k.name) from jsonb_object_keys(seen[1] -> 'after') k (name)), '[]');
end
$$;

-- Returns true if an operation changed a row whose users, before or after the change, are not among the subjects (`keys`).
create or replace function usher.wrote_beside(app jsonb, shape jsonb, operation uuid, keys text[]) returns boolean
language plpgsql stable
as $$
declare
    -- With this subquery, the server hashes the list of keys only once.
    keyed constant text := 'in (select k.key from unnest($2) k (key) where k.key is not null)';
    are_beside text;
    found boolean := false;
begin
    are_beside := (
        select string_agg(format('(t.%1$I is null or t.%1$I::text not %2$s)', c.name, keyed), ' and ')
               || format(' and coalesce(%s) is not null', string_agg(format('t.%I::text', c.name), ', '))
               || string_agg(format(' or h.payload -> ''before'' ->> %1$L not %2$s', c.name, keyed), '')
          from usher.user_columns(app -> 'root', (shape ->> 'oid')::oid) u, unnest(u.columns) c (name));
    if are_beside is not null then
        execute format(
            'select exists (select from usher.change h join %s t on %s where h.operation = $1 and (%s))', shape ->> 'sql',
            (select string_agg(format('t.%s = (h.payload -> ''key'' ->> %L)::%s', c.of ->> 'sql', c.of ->> 'name', c.of ->> 'type'), ' and ')
               from jsonb_array_elements(shape -> 'columns') c (of) where (c.of ->> 'in_key')::boolean), are_beside)
           into found using wrote_beside.operation, wrote_beside.keys;
    end if;
    return found;
end
$$;

-- The users of a batch for whom an action doesn't have the promised effect, found by one query for each promise. NULL if only the slower
-- function `unkept` can find them.
create or replace function usher.unkept_at_once(app jsonb, act jsonb, keys text[], at timestamptz) returns jsonb
language plpgsql volatile
as $$
declare
    promise jsonb;
    number bigint;
    outcomes text[];
    decided text;
    answered bigint;
    own jsonb;
    broken jsonb := '{}';
begin
    for promise, number in select e.of, e.place - 1 from jsonb_array_elements(act -> 'expects') with ordinality as e (of, place) loop
        outcomes := array(select jsonb_array_elements_text(promise -> 'outcomes'));
        decided := (select d.of ->> 'sql' from jsonb_array_elements(app -> 'decisions') as d (of)
                     where d.of ->> 'name' = promise ->> 'decision');
        execute format(
            'select count(*), jsonb_object_agg(u.key, jsonb_build_object(''key'', u.key, ''promise'', $5, ''outcome'', u.outcomes[1],
                                                                        ''unavailable'', null, ''unanswered'', false))
                                filter (where u.is_unkept)
               from (select d.key, bool_or(d.outcome is null or d.outcome <> all ($4)) as is_unkept,
                            array_agg(d.outcome) filter (where d.outcome is null or d.outcome <> all ($4)) as outcomes
                       from (%s) d (key, per, outcome) group by d.key) u', decided)
           into answered, own
          using at, unkept_at_once.keys, '{}'::jsonb, outcomes, number;
        if answered < cardinality(unkept_at_once.keys) or own is not null and promise ->> 'about' is not null then return null; end if;
        broken := coalesce(own, '{}') || broken;
    end loop;
    return broken;
end
$$;

-- Runs an action that is a single UPDATE of one table on all subjects of a batch. One statement updates the rows and records their old and
-- new values in the audit log. Returns the number of changed rows. If anything else changed too, rolls back and returns NULL. If the action
-- doesn't have the promised effect for some users, raises UA007 with these users.
--
-- Other changes are unlikely, because usher compared the rows of an earlier batch one by one and found none.
create or replace function usher.update_at_once(
    app jsonb, act jsonb, relations jsonb, earlier uuid, operation uuid, keys text[], at timestamptz, arguments jsonb
) returns bigint
language plpgsql volatile
as $$
declare
    updated record;
    user_key text;
    unkept jsonb;
    done jsonb;
begin
    select * into updated from usher.updated_table(app, act, relations, update_at_once.earlier);
    if updated.shape is null then return null; end if;
    select u.columns[1] into user_key from usher.user_columns(app -> 'root', (updated.shape ->> 'oid')::oid) u where u.is_user;
    done := usher.run_at_once(
        app, updated.shape ->> 'oid', usher.update_statement(act -> 'steps' -> 0, updated.shape, updated.usual, user_key), at, keys, arguments,
        operation, earlier);
    if user_key is null and usher.wrote_beside(app, updated.shape, operation, keys) then raise sqlstate 'UA006'; end if;
    unkept := usher.unkept_at_once(app, act, keys, at);
    if unkept is null then raise sqlstate 'UA006'; end if;
    if unkept <> '{}' then raise sqlstate 'UA007' using message = unkept::text; end if;
    return (done ->> 'changed')::bigint;
exception
    when sqlstate 'UA006' then return null;
    when sqlstate 'UA007' then raise;
    when others then
        -- The caller then changes the subjects one by one, to find the subject that causes this error.
        if usher.is_passing(sqlstate) then raise; end if;
        return null;
end
$$;

-- The columns that `restore_statement` restores. Each has SQL for the value to restore (`due`), the current value (`now`), and the value
-- after the operation (`left_as`).
create or replace function usher.restored_columns(shape jsonb, changed jsonb)
returns table (name text, sql text, place bigint, was bigint, due text, now text, left_as text)
language sql stable
as $$
    -- CASE returns the base type of a domain, so the expression casts the result.
    select w.of ->> 'name' as name, w.of ->> 'sql' as sql, w.place, p.place as was,
           format('(case when c.before ? %L then %s else t.%s end)::%s', w.of ->> 'name',
                  usher.recorded_value(w.of, 'c.before', i.opened || 'before))'), w.of ->> 'sql', w.of ->> 'bare_type') as due,
           format('(case when c.before ? %L then t.%s end)::%s', w.of ->> 'name', w.of ->> 'sql', w.of ->> 'bare_type') as now,
           format('(%s)::%s', usher.recorded_value(w.of, 'c.after', i.opened || 'after))'), w.of ->> 'bare_type') as left_as
      from jsonb_array_elements(restored_columns.changed) with ordinality as w (of, place)
      join jsonb_array_elements(shape -> 'columns') with ordinality as p (of, place) on p.of = w.of
     cross join (select format('(pg_catalog.jsonb_populate_record(null::%s, c.', shape ->> 'sql') as opened) i
     where (w.of ->> 'settable')::boolean
$$;

-- The SQL that restores columns of the rows that an operation ($5) changed, and records this as changes of the operation $4. The SQL skips
-- the changes whose ordinals are keys of the object $3, and rows that already have all the old values. `changed` has the columns. `usual`
-- has the names of the columns that changed in most rows.
--
-- If a trigger overwrites a column, the column doesn't have the restored value after the update (`apart`). Only an update shows this, so
-- the statement also writes rows that changed since the operation. A row conflicts if one of its other columns has changed (`moved`) since
-- the operation. If all other columns already had the old values, the row counts as `restored` instead.
create or replace function usher.restore_statement(shape jsonb, changed jsonb, usual jsonb) returns text
language sql stable
as $$
    select format(E'with %s,\n%s,\n%s', usher.restore_update(shape, changed), usher.recorded_update(
               shape, format('cross join lateral (select %s) b', string_agg(format('w."was %s" as %s', c.place, c.of ->> 'sql'), ', ')), usual, null),
               usher.restore_report(shape, changed))
      from jsonb_array_elements(shape -> 'columns') with ordinality as c (of, place)
$$;

-- The first part of `restore_statement`. The CTE `o` has the state of each change, and the CTE `w` restores the rows with the state `due`.
create or replace function usher.restore_update(shape jsonb, changed jsonb) returns text
language sql stable
as $$
    select format(
$statement$o as materialized (
    select c.ordinal, c.before, t.ctid as place, %1$s, %2$s,
           case when row(%3$s)::record operator(pg_catalog.*<>) row(%4$s)::record then pg_catalog.array_remove(array[%5$s]::text[], null) end as moved,
           case when c.is_plain is not true then 'unlike' when t.ctid is null then 'gone'
                when row(%6$s)::record operator(pg_catalog.*=) row(%7$s)::record then 'restored' else 'due' end as state
      from (select c.ordinal, c.payload -> 'key' as key, c.payload -> 'before' as before, c.payload -> 'after' as after,
                   c.payload ->> 'table' = %8$L and c.payload -> 'secrets' is null
                   and pg_catalog.jsonb_typeof(c.payload -> 'before') = 'object' and pg_catalog.jsonb_typeof(c.payload -> 'after') = 'object'
                   and (c.payload -> 'before') - %9$L::text[] = '{}' and (c.payload -> 'after') - %9$L::text[] = '{}' as is_plain
              from usher.change c
             where c.operation = $5 and c.erased is null and not $3 ? c.ordinal::text offset 0) c
      left join %10$s t on %11$s),
w as (
    update %10$s t set (%12$s) = row(%13$s) from o
     where o.state = 'due' and %14$s
    returning o.ordinal as "usher ordinal", o.before as "usher before", o.moved as "usher moved", %15$s, %16$s)$statement$,
        columns.was, written.due_as, written.now, written.left_as, written.moved, written.present, written.due, shape ->> 'name',
        array(select r.of ->> 'name' from jsonb_array_elements(restore_update.changed) r (of)),
        case when (shape ->> 'partitioned')::boolean then '' else 'only ' end || (shape ->> 'sql'),
        columns.same_key, written.names, written.due_of_o,
        -- A search by row address (ctid) would read every partition, but a search by key reads only one.
        case when (shape ->> 'partitioned')::boolean then columns.same_row else 't.ctid = o.place' end,
        columns.returned, written.due_of_o)
      from (select string_agg(format('t.%s as "was %s"', c.of ->> 'sql', c.place), ', ') as was,
                   string_agg(format('t.%1$s, o."was %2$s"', c.of ->> 'sql', c.place), ', ') as returned,
                   string_agg(format('t.%s = o."was %s"', c.of ->> 'sql', c.place), ' and ') filter (where (c.of ->> 'in_key')::boolean) as same_row,
                   string_agg(format('t.%s = %s', c.of ->> 'sql', usher.recorded_value(
                                  c.of, 'c.key', format('(pg_catalog.jsonb_populate_record(null::%s, c.key))', shape ->> 'sql'))), ' and ')
                       filter (where (c.of ->> 'in_key')::boolean) as same_key
              from jsonb_array_elements(shape -> 'columns') with ordinality as c (of, place)) columns,
           (select string_agg(format('%s as "due %s"', w.due, w.place), ', ') as due_as, string_agg(w.now, ', ') as now,
                   string_agg(w.left_as, ', ') as left_as, string_agg('t.' || w.sql, ', ') as present, string_agg(w.due, ', ') as due,
                   string_agg(format('case when row(%s)::record operator(pg_catalog.*<>) row(%s)::record then %L end', w.now, w.left_as, w.name), ', ') as moved,
                   string_agg(w.sql, ', ') as names, string_agg(format('o."due %s"', w.place), ', ') as due_of_o
              from usher.restored_columns(shape, restore_update.changed) w) written
$$;

-- The last part of `restore_statement`. It computes the result for each written row, and the report.
create or replace function usher.restore_report(shape jsonb, changed jsonb) returns text
language sql stable
as $$
    select format(
$statement$e as (
    select w."usher ordinal" as ordinal, w."usher moved" as moved, %1$s as is_set,
           case when row(%2$s)::record operator(pg_catalog.*=) row(%3$s)::record then '{}'
                else pg_catalog.array_remove(array[%4$s]::text[], null) end as apart,
           case when w."usher moved" is not null then pg_catalog.array_remove(array[%5$s]::text[], null) end as unlike
      from w),
f as materialized (
    select e.ordinal, e.is_set, e.apart, e.unlike <@ e.apart as is_restored, e.moved is not null and not e.moved <@ e.apart as conflicts from e)
select (select pg_catalog.jsonb_build_object('written', pg_catalog.count(*), 'changed', pg_catalog.count(d.payload),
                                             'straying', pg_catalog.count(*) filter (where d.is_straying)) from d)
       || (select pg_catalog.jsonb_build_object(
               'set', pg_catalog.count(*) filter (where f.is_set),
               'since', coalesce(pg_catalog.jsonb_agg(f.ordinal order by f.ordinal) filter (where f.conflicts and not f.is_restored), '[]'),
               'restored', coalesce(pg_catalog.jsonb_agg(f.ordinal order by f.ordinal) filter (where f.conflicts and f.is_restored), '[]'),
               'apart', (select coalesce(pg_catalog.string_agg(n.name, ', ' order by n.name), '')
                           from (select distinct a.name from f g, pg_catalog.unnest(g.apart) a (name)) n)) from f)
       || pg_catalog.jsonb_build_object(
           'found', pg_catalog.count(*) filter (where o.state = 'due'), 'unlike', pg_catalog.count(*) filter (where o.state = 'unlike'),
           'gone', coalesce(pg_catalog.jsonb_agg(o.ordinal order by o.ordinal) filter (where o.state = 'gone'), '[]'))
  from o
$statement$,
        string_agg(format('(w."usher before" ? %L and row(w.%s)::record operator(pg_catalog.*=) row(w."due %s")::record)', w.name, w.sql, w.place), ' or '),
        string_agg('w.' || w.sql, ', '), string_agg(format('w."due %s"', w.place), ', '),
        string_agg(format('case when w."usher before" ? %L and row(w.%s)::record operator(pg_catalog.*<>) row(w."due %s")::record then %L end',
                          w.name, w.sql, w.place, w.name), ', '),
        string_agg(format('case when row(w."was %s")::record operator(pg_catalog.*<>) row(w."due %s")::record then %L end', w.was, w.place, w.name), ', '))
      from usher.restored_columns(shape, restore_report.changed) w
$$;

-- The table (`shape`) and the columns (`changed`) that an operation updated, if the operation wrote nothing else. Otherwise `shape` is
-- NULL, and usher restores the rows one by one. This function reads only the first 100 changes of the operation; the SQL of
-- `restore_statement` checks the columns of every change.
create or replace function usher.restored_table(
    undone usher.operation, app jsonb, out shape jsonb, out changed jsonb, out usual jsonb
)
language plpgsql stable
as $$
declare
    seen constant jsonb[] := array(select c.payload from usher.change c where c.operation = undone.id and c.payload is not null order by c.ordinal limit 100);
    named constant text[] := (select array_agg(distinct s.change ->> 'table') from unnest(seen) s (change));
    found jsonb;
    relations jsonb;
begin
    if cardinality(named) <> 1 or undone.id is null then return; end if;
    select usher.shape(c.oid, array(select jsonb_array_elements_text(app -> 'secrets'))) into found
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname || '.' || c.relname = named[1] and c.relkind in ('r', 'p');
    if found ->> 'key' is null or (found ->> 'distributed')::boolean
       or jsonb_path_exists(found, '$.columns[*] ? (@.form == "name")') then
        return;
    end if;
    select jsonb_agg(c.of) into changed
      from jsonb_array_elements(found -> 'columns') c (of)
     where exists (select from unnest(seen) s (change) where s.change -> 'before' ? (c.of ->> 'name'));
    if changed is null or not jsonb_path_exists(changed, '$[*] ? (@.settable == true)')
       or jsonb_path_exists(changed, '$[*] ? (@.in_key == true || @.secret == true)') then
        return;
    end if;
    -- Most rows change in the same columns as the first recorded row.
    usual := coalesce((select jsonb_agg(k.name) from jsonb_object_keys(coalesce(nullif(seen[1] -> 'before', 'null'), '{}')) k (name)), '[]');
    relations := usher.writable_relations(jsonb_build_object('steps', jsonb_build_array(jsonb_build_object('targets', jsonb_build_array(
        jsonb_build_object('schema', found -> 'schema', 'name', found -> 'relation', 'heirs', (found ->> 'partitioned')::boolean, 'verb', 'update'))))));
    if not exists (select from jsonb_each(relations) r where r.value -> 'tables' <> jsonb_build_array(found -> 'oid')) then
        shape := found;
    end if;
end
$$;

-- Undoes a batch by one statement, and records the undo. If usher has to restore the rows one by one, changes nothing and returns NULL. The
-- statement finds rows by an index, so it is not slower in a large table. It doesn't restore rows that changed since the operation: if it
-- finds such rows, usher reports them and runs the statement again without them.
create or replace function usher.undo_at_once(
    request jsonb, undone usher.operation, app jsonb, environment text, subjects text[], at timestamptz
) returns jsonb
language plpgsql volatile
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set random_page_cost = 1.1
set max_parallel_workers_per_gather = 0 set work_mem = '32MB'
as $$
declare
    restored record;
    done jsonb;
    skipped jsonb := '{}';
    since jsonb := '[]';
    refused jsonb := '[]';
begin
    select * into restored from usher.restored_table(undone, app);
    if restored.shape is null then return null; end if;
    begin
        loop
            begin
                done := usher.run_at_once(
                    app, restored.shape ->> 'oid', usher.restore_statement(restored.shape, restored.changed, restored.usual), at, subjects,
                    skipped, (request ->> 'id')::uuid, undone.id);
                exit when done -> 'since' = '[]' and done -> 'restored' = '[]';
                if skipped <> '{}' then raise sqlstate 'UA006'; end if;
                raise sqlstate 'UA001';
            exception when sqlstate 'UA001' then
                since := done -> 'since';
                skipped := (select jsonb_object_agg(s.ordinal, true) from jsonb_array_elements_text(since || (done -> 'restored')) s (ordinal));
            end;
        end loop;
        -- If a trigger skipped a row, or a change has different columns, usher restores the rows one by one.
        if done -> 'written' <> done -> 'found' or done ->> 'unlike' <> '0' or '0' in (done ->> 'set', done ->> 'changed') then raise sqlstate 'UA006'; end if;
        since := since || (done -> 'gone');
        if since <> '[]' then
            refused := usher.changed_since(app, undone, usher.undo_steps(
                app, undone.id, array(select s.value::integer from jsonb_array_elements_text(since) s limit 100)));
        end if;
        perform usher.record_undo(
            request || jsonb_build_object('position', request -> 'position' || usher.answered(app, '{}')), undone, app,
            jsonb_build_object('command', 'audit undo', 'subject', 'users'), environment, subjects, at, jsonb_array_length(since), '[]');
    exception
        when sqlstate 'UA006' then return null;
        when others then
            -- The caller then restores the rows one by one, to find the row that causes this error.
            if usher.is_passing(sqlstate) then raise; end if;
            return null;
    end;
    return usher.nothing_done('done', usher.left_out(refused)) - array['changes', 'decisions'] || jsonb_build_object(
        'changed', done -> 'changed', 'left_out', jsonb_array_length(since),
        'remarks', case when done ->> 'apart' = '' then '[]'
                        else jsonb_build_array(jsonb_build_object('left', 'overwritten', 'table', restored.shape -> 'name', 'names', done -> 'apart')) end);
end
$$;

-- The subjects of a batch that are still selected and not refused by the app file, and the refusals of the others. If the operator typed
-- only one selection, one query returns both.
create or replace function usher.selected_at_once(
    whole usher.operation, act jsonb, keys text[], at timestamptz, arguments jsonb, out subjects text[], out refused jsonb
)
language plpgsql volatile
as $$
declare
    selections constant jsonb := coalesce(whole.payload -> 'selections', '[]');
    judged constant text := case when jsonb_array_length(selections) = 1 then act -> 'selections' -> (selections ->> 0) ->> 'judged' end;
begin
    if judged is not null then
        execute format(
            'select coalesce(array_agg(j.key) filter (where (j.held[1] < $4) is not true), ''{}''),
                    coalesce(jsonb_object_agg(coalesce(j.key, ''''), jsonb_build_object(''key'', j.key, ''remark'', j.held[1], ''facts'', j.facts))
                               filter (where j.held[1] < $4), ''{}'')
               from (select j.key, j.held, case when j.held <> ''{}'' then j.facts end as facts from (%s) j offset 0) j', judged)
           into subjects, refused using at, selected_at_once.keys, arguments, (act ->> 'refusals')::integer;
        return;
    end if;
    subjects := usher.matching_keys(act, selected_at_once.keys, at, arguments, selections);
    refused := usher.judged(act, subjects, at, arguments) -> 'refused';
    if refused <> '{}' then
        subjects := array(select k.key from unnest(subjects) k (key) where k.key not in (select jsonb_object_keys(refused)));
    end if;
end
$$;

-- Runs a batch by one statement, and records the batch. If usher has to compare the rows one by one, changes nothing and returns NULL. The
-- statement finds rows by an index, so it is not slower in a large table.
create or replace function usher.batch_at_once(
    whole usher.operation, app jsonb, act jsonb, id uuid, keys text[], at timestamptz, arguments jsonb, place jsonb
) returns jsonb
language plpgsql volatile
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set random_page_cost = 1.1
set max_parallel_workers_per_gather = 0 set work_mem = '32MB'
as $$
declare
    guarded constant jsonb := usher.guarded();
    -- The latest batch that changed rows.
    earlier constant uuid := (select b.id from usher.operation b
                               where b.parent = whole.id and b.kind = 'batch' and b.outcome = 'committed' order by b.at desc limit 1);
    relations jsonb;
    chosen record;
    unkept jsonb;
    changed bigint;
    own jsonb;
begin
    if earlier is null then return null; end if;
    relations := usher.writable_relations(act);
    -- A single statement can't record rows that Citus keeps on other servers.
    if jsonb_path_exists(relations, '$.*.distributed ? (@ != null)') then return null; end if;
    select * into chosen from usher.selected_at_once(whole, act, batch_at_once.keys, at, arguments);
    if chosen.refused ? '' then return null; end if;
    perform usher.refuse_beside(guarded);
    loop
        if cardinality(chosen.subjects) = 0 then return null; end if;
        own := batch_at_once.place || jsonb_build_object(
            'done', cardinality(chosen.subjects), 'refused', (select count(*) from jsonb_object_keys(chosen.refused)));
        begin
            perform usher.record_batch(
                whole, batch_at_once.id, app, act, chosen.subjects, usher.affected_users(act, chosen.subjects, at, arguments), at,
                own || usher.answered(app, act));
            changed := usher.update_at_once(app, act, relations, earlier, batch_at_once.id, chosen.subjects, at, arguments);
            if changed is null or changed = 0 then raise sqlstate 'UA006'; end if;
            exit;
        exception
            when sqlstate 'UA006' then return null;
            -- The loop runs the statement again without the users for whom the action doesn't have the promised effect.
            when sqlstate 'UA007' then unkept := sqlerrm::jsonb;
        end;
        chosen.refused := chosen.refused || unkept;
        chosen.subjects := array(select s.key from unnest(chosen.subjects) with ordinality as s (key, place) where not unkept ? s.key order by s.place);
    end loop;
    return usher.nothing_done('done', (select coalesce(jsonb_agg(r.value order by r.key), '[]') from jsonb_each(chosen.refused) r))
        - array['changes', 'decisions']
        || jsonb_build_object('done', own -> 'done', 'refusals', own -> 'refused', 'changed', changed, 'operation', batch_at_once.id);
end
$$;
