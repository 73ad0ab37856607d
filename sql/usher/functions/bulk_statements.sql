-- The functions that update rows and read the changes by a single SQL statement. A straying row is an updated row that this statement
-- can't record correctly, or should not change (see `update_statement`).

-- Returns the shape of the table that a step updates, or NULL if one statement can't run the step and record its changes.
-- That statement runs under the search path of the app. So it can't record types such as regclass, whose text depends on the path.
create or replace function usher.updated_table(app jsonb, step jsonb, relations jsonb) returns usher.shape
language plpgsql stable
as $$
declare
    target constant jsonb := step -> 'targets' -> 0;
    reach constant jsonb := relations -> usher.relation_name(target);
    shape usher.shape;
begin
    if jsonb_array_length(step -> 'targets') <> 1 or step ->> 'returning' is null or target ->> 'verb' is distinct from 'update'
       or reach ->> 'distributed' is not null or jsonb_array_length(reach -> 'tables') <> 1 then
        return null;
    end if;
    shape := usher.shape((reach -> 'tables' ->> 0)::oid, app);
    if shape.key is null or exists (select from unnest(shape.columns) c where c.form = 'name') then return null; end if;
    return shape;
end
$$;

-- Runs a statement that updates rows of one table (`shape`), under the search path of the app, and returns its result. Raises UA006 if the
-- update changed a straying row, or if the row counters of the server show other writes than this update reported. The caller then rolls
-- back. For an `operation`, the statement also records the changes, with ordinals from `first_ordinal` on.
create or replace function usher.run_at_once(
    app jsonb, shape usher.shape, statement text, at timestamptz, keys text[], arguments jsonb, operation uuid, first_ordinal bigint default 0
) returns jsonb
language plpgsql volatile
as $$
declare
    deferred constant text := usher.deferrable(true);
    before constant jsonb := usher.counters();
    guarded constant jsonb := case when operation is not null then usher.guarded() end;
    since jsonb;
    done jsonb;
begin
    perform pg_catalog.set_config(
        'search_path', pg_catalog.concat_ws(', ', nullif(pg_catalog.btrim(app ->> 'path'), ''), 'pg_temp'), true);
    execute statement into done using at, keys, arguments, operation, first_ordinal;
    if deferred is not null then execute 'set constraints ' || deferred || ' immediate'; end if;
    perform pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    since := usher.counted_since(before);
    if (done ->> 'straying')::bigint > 0 or since ->> 'elsewhere' is not null
       or since -> 'counts' <> (case done ->> 'written' when '0' then '{}'
                                     else jsonb_build_object(shape.oid, jsonb_build_array(0, done -> 'written', 0)) end) then
        raise sqlstate 'UA006';
    end if;
    if operation is not null then perform usher.refuse_beside(guarded, (done ->> 'changed')::bigint); end if;
    return done;
end
$$;

-- Extends the SQL of a step that updates one table. The new statement also records the old and new values as changes of the operation $4,
-- with ordinals from $5 on. It returns the numbers of written, changed and straying rows. The join with `b` reads the old rows in the
-- snapshot of the statement.
--
-- `usual` has the names of the columns that the step usually changes. A row is straying if the update changed another column, the key or a
-- secret. With `is_limited`, a row that belongs to users is also straying if none of them is a subject ($2), or if the update changed them.
create or replace function usher.update_statement(step jsonb, shape usher.shape, usual text[], is_limited boolean) returns text
language sql stable
as $$
    select format(
$statement$
with w as (
%1$s
returning %2$s%3$s),
d as materialized (
    select pg_catalog.row_number() over () - 1 + $5 as ordinal, %4$s as is_straying,
           case when v.before operator(pg_catalog.<>) '{}'
                then pg_catalog.jsonb_build_object('table', %5$L::text, 'key', %6$s, 'before', v.before, 'after', v.after)%11$s end as payload
      from w
      left join %7$s b on %8$s
     cross join lateral (select %9$s as before, %10$s as after offset 0) v),
x as materialized (
    select usher.salts((select pg_catalog.count(*) from d)) as salts),
i as (
    insert into usher.change (operation, ordinal, digest, salt, payload)
    select $4, d.ordinal, pg_catalog.sha256(s.salt || pg_catalog.convert_to(d.payload::text, 'UTF8')), s.salt, d.payload
      from d
     cross join lateral (select pg_catalog.substr((select x.salts from x), ((d.ordinal - $5) * 16 + 1)::integer, 16) as salt offset 0) s
     where d.payload is not null)
select pg_catalog.jsonb_build_object('written', pg_catalog.count(*), 'changed', pg_catalog.count(d.payload),
                                     'straying', pg_catalog.count(*) filter (where d.is_straying is not false))
  from d
$statement$,
        step ->> 'sql', string_agg((step ->> 'alias') || '.' || c.name, ', '),
        (select string_agg(format(', %s.%I::pg_catalog.text as "user %s"', step ->> 'alias', u.name, u.place), '')
           from unnest(shape.users) with ordinality as u (name, place)),
        concat_ws(' or ', format('row(%s)::record operator(pg_catalog.*<>) row(%s)::record',
                                 string_agg('b.' || c.name, ', ') filter (where not c.is_free),
                                 string_agg('w.' || c.name, ', ') filter (where not c.is_free)),
                  (select format('(%s) is not true', string_agg(format('w."user %s" operator(pg_catalog.=) any ($2)', u.place), ' or '))
                     from unnest(shape.users) with ordinality as u (name, place) where is_limited having count(*) > 0)),
        shape.name, usher.object(array_agg(c.of order by (c.of).place) filter (where (c.of).in_key), 'w'),
        shape.sql, string_agg(format('b.%1$s = w.%1$s', c.name), ' and ') filter (where (c.of).in_key),
        string_agg(format(c.changed, c.name, usher.object(array[c.of], 'b')), ' operator(pg_catalog.||) ') filter (where c.is_free),
        string_agg(format(c.changed, c.name, usher.object(array[c.of], 'w')), ' operator(pg_catalog.||) ') filter (where c.is_free),
        (select format(' operator(pg_catalog.||) pg_catalog.jsonb_build_object(''users'', %s)', usher.object(array_agg(u order by u.place), 'w'))
           from unnest(shape.columns) u where u.name = any (shape.users) and not u.in_key and not u.is_secret having count(*) > 0))
      from (select s as of, s.sql as name,
                   s.name = any (usual) and not s.in_key and not s.is_secret and not (is_limited and s.name = any (shape.users)) as is_free,
                   'case when row(b.%1$s)::record operator(pg_catalog.*<>) row(w.%1$s)::record then %2$s else ''{}''::pg_catalog.jsonb end' as changed
              from unnest(shape.columns) s) c
$$;

-- Extends the SQL of a step that updates the users' own rows in one table, so that the new statement returns the rows before and after the
-- update (see `images`). A row is straying if its key changed, or if it isn't the row of a subject ($2).
create or replace function usher.comparing_statement(step jsonb, shape usher.shape) returns text
language sql stable
as $$
    select format(
$statement$
with w as (
%1$s
returning %2$s)
select pg_catalog.jsonb_build_object('written', pg_catalog.count(*),
                                     'straying', pg_catalog.count(*) filter (where b.k is null or (a.k operator(pg_catalog.=) any ($2)) is not true),
                                     'before', pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('k', array[b.k], 'i', b.i)),
                                     'after', pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('k', array[a.k], 'i', a.i)))
  from w
 cross join lateral (select t.%3$s::pg_catalog.text as k, %4$s as i from (select w.*) t) a
  left join lateral (select t.%3$s::pg_catalog.text as k, %4$s as i from %5$s t where t.%3$s operator(pg_catalog.=) w.%3$s) b on true
$statement$,
        step ->> 'sql', (select string_agg((step ->> 'alias') || '.' || c.sql, ', ' order by c.place) from unnest(shape.columns) c),
        quote_ident(shape.users[1]), shape.image, shape.sql)
$$;

-- Runs an action that updates the users' own rows in one table, by one statement, and returns the changes (see `changes`). If usher can't
-- find all changes in this way, the function changes nothing and returns NULL.
create or replace function usher.changes_at_once(
    app jsonb, act usher.action, relations jsonb, keys text[], at timestamptz, arguments jsonb
) returns jsonb
language plpgsql volatile
as $$
declare
    shape usher.shape;
    done jsonb;
begin
    if act.each is not null or act.undoes is not null or act.subject <> 'users' or jsonb_array_length(act.steps) <> 1 then return null; end if;
    shape := usher.updated_table(app, act.steps -> 0, relations);
    -- If the key of each row is the key of a user, the statement changes no rows without a subject. A trigger after the update may write
    -- other rows. 2 is the bit of triggers before it.
    if shape.is_user is not true or shape.digests <> '' or shape.users <> array(select c.name from unnest(shape.columns) c where c.in_key)
       or exists (select from pg_trigger t where t.tgrelid = shape.oid and not t.tgisinternal and t.tgtype & 2 = 0) then
        return null;
    end if;
    done := usher.run_at_once(app, shape, usher.comparing_statement(act.steps -> 0, shape), at, changes_at_once.keys, arguments, null);
    shape.is_user := null;
    return '{"objections": [], "warnings": [], "others": null}' || jsonb_build_object('changes', usher.differences(
        shape, coalesce(nullif(done -> 'before', 'null'), '[]'), coalesce(nullif(done -> 'after', 'null'), '[]'), false));
exception when others then
    -- If the statement fails, the comparison of the rows finds the reason.
    if sqlstate not in ('UA006', 'US003') and usher.has_other_cause(sqlstate) then raise; end if;
    return null;
end
$$;

-- Returns the shape of the table that a batch changes, or NULL if one statement can't run the batch. The function also reads the first
-- thousand changes of the latest batch: all must be updates of this table. `usual` has the columns that these changes contain.
create or replace function usher.batch_table(whole usher.operation, app jsonb, act usher.action, out shape usher.shape, out usual text[])
language plpgsql volatile
as $$
declare
    -- The first changes of the latest batch that changed rows.
    seen constant jsonb[] := array(
        select c.payload
          from usher.change c
         where c.operation = (select b.id from usher.operation b
                               where b.parent = whole.id and b.kind = 'batch' and b.outcome = 'committed' order by b.at desc limit 1)
         order by c.ordinal limit 1000);
begin
    if seen = '{}' or act.each is not null or act.subject <> 'users' or act.impacts <> '[]'
       or jsonb_array_length(act.steps) <> 1 or jsonb_path_exists(act.expects, '$[*].about ? (@ != null)') then
        return;
    end if;
    shape := usher.updated_table(app, act.steps -> 0, usher.writable_relations(act.steps));
    if exists (select from unnest(seen) s (change)
                where s.change ->> 'table' <> shape.name or s.change ? 'secrets'
                   or jsonb_typeof(s.change -> 'before') is distinct from 'object'
                   or jsonb_typeof(s.change -> 'after') is distinct from 'object') then
        shape := null;
    else
        usual := (select array_agg(distinct k.name) from unnest(seen) s (change), jsonb_object_keys(s.change -> 'after') k (name));
    end if;
end
$$;

-- Runs a batch by one statement, which also records the changes. If usher has to compare the rows one by one, or if no row changed, the
-- function changes nothing and returns NULL. It evaluates only the decisions that the action promises. The statement finds rows by an
-- index, so it is not slower in a large table.
create or replace function usher.batch_at_once(
    whole usher.operation, id uuid, app jsonb, act usher.action, keys text[], at timestamptz, arguments jsonb
) returns jsonb
language plpgsql volatile
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set random_page_cost = 1.1
set max_parallel_workers_per_gather = 0 set work_mem = '32MB'
as $$
declare
    promised constant jsonb := app || jsonb_build_object('decisions', (
        select coalesce(jsonb_agg(d.value), '[]') from jsonb_array_elements(app -> 'decisions') d
         where jsonb_path_exists(act.expects, '$[*].decision ? (@ == $name)', jsonb_build_object('name', d.value -> 'name'))));
    guarded constant jsonb := usher.guarded();
    updated record;
    report jsonb;
begin
    select * into updated from usher.batch_table(whole, app, act);
    if (updated.shape).oid is null then return null; end if;
    report := usher.run_action(
        promised, act, usher.matching_keys(act, batch_at_once.keys, at, arguments, whole.payload -> 'selections'), at, arguments,
        jsonb_build_object('confirmed', true, 'guarded', guarded), row(updated.shape, updated.usual, batch_at_once.id)::usher.single_update);
    return case when report ->> 'outcome' in ('done', 'locked') then report end;
exception when others then
    -- If a statement fails, the caller changes the subjects one by one, to find the subject that causes this error.
    if sqlstate not in ('UA006', 'US003') and usher.has_other_cause(sqlstate) then raise; end if;
    return null;
end
$$;

-- Compares the changes that an undo recorded with the changes of the undone operation. `overwritten` has the names of the columns that did
-- not get back their old values, because triggers overwrote them. `restored` is the number of rows in which at least one column got back
-- its old value. The undo must write every column: it keeps the value of a column that changed between the operation and the undo, unless a
-- trigger overwrites the column.
create or replace function usher.mirrored_changes(undone uuid, undo uuid, out restored bigint, out overwritten text)
language sql stable set enable_hashjoin = on
as $$
    with pairs as materialized (
        select p.*
          from usher.change c
          join usher.change u on u.operation = mirrored_changes.undo and u.payload -> 'key' = c.payload -> 'key'
         cross join lateral (
               select array_agg(d.key) filter (where not v.is_due) as overwritten,
                      bool_or(v.is_due) and bool_and(u.payload -> 'after' ? d.key) as is_restored
                 from jsonb_each(c.payload -> 'before') d
                cross join lateral (select (u.payload -> 'after' -> d.key)::text is not distinct from d.value::text as is_due) v) p
         where c.operation = mirrored_changes.undone and c.payload is not null
    )
    select count(*) filter (where p.is_restored),
           (select string_agg(distinct n.name, ', ' order by n.name) from pairs o, unnest(o.overwritten) n (name))
      from pairs p
$$;

-- Undoes a batch that only updated rows of one table, by one statement for each set of columns, and records the undo. If usher has to
-- restore the rows one by one, the function changes nothing and returns NULL. For example, a row may have changed since the operation (see
-- `mirrored_changes`). The statements find rows by an index, so they are not slower in a large table.
create or replace function usher.undo_at_once(
    request jsonb, undone usher.operation, app jsonb, environment text, subjects text[], at timestamptz
) returns jsonb
language plpgsql volatile
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set random_page_cost = 1.1
set max_parallel_workers_per_gather = 0 set work_mem = '32MB'
as $$
declare
    id constant uuid := request ->> 'id';
    steps constant jsonb := usher.undo_steps(app, undone.id, null, false);
    relations jsonb;
    piece jsonb;
    shape usher.shape;
    changed bigint := 0;
    mirrored record;
begin
    if usher.undone_changes(undone.id) <> '{}' or steps -> 'remarks' <> '[]' or jsonb_path_exists(steps, '$.pieces[*] ? (@.kind != "update")')
       or jsonb_path_exists(steps, '$.pieces[*] ? (@.oid != $.pieces[0].oid)') then
        return null;
    end if;
    relations := usher.writable_relations(jsonb_path_query_array(steps, '$.pieces[*].step'));
    shape := usher.updated_table(app, steps #> '{pieces,0,step}', relations);
    if shape.oid is null then return null; end if;
    begin
        for piece in select p.value from jsonb_array_elements(steps -> 'pieces') p loop
            changed := changed + (usher.run_at_once(
                app, shape, usher.update_statement(piece -> 'step', shape, array(select jsonb_array_elements_text(piece -> 'columns')), false),
                at, subjects, '{}', id, first_ordinal => changed) ->> 'changed')::bigint;
        end loop;
        select * into mirrored from usher.mirrored_changes(undone.id, id);
        if mirrored.restored <> changed or changed <> (select sum((p.value ->> 'changes')::bigint) from jsonb_array_elements(steps -> 'pieces') p) then
            raise sqlstate 'UA006';
        end if;
        perform usher.record_undo(
            request || jsonb_build_object('position', request -> 'position' || usher.answered(app, null)), undone, app,
            jsonb_populate_record(null::usher.action, '{"command": "audit undo", "subject": "users"}'), environment, subjects, at, 0, '[]');
    exception when others then
        -- If a statement fails, the caller restores the rows one by one, to find the row that causes this error.
        if sqlstate <> 'UA006' and usher.has_other_cause(sqlstate) then raise; end if;
        return null;
    end;
    return usher.nothing_done('done') - array['changes', 'decisions'] || jsonb_build_object(
        'changed', changed, 'left_out', 0,
        'remarks', case when mirrored.overwritten is null then '[]'
                        else jsonb_build_array(jsonb_build_object('left', 'overwritten', 'table', shape.name, 'names', mirrored.overwritten)) end);
end
$$;
