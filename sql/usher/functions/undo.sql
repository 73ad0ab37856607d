-- The functions that undo an operation.
--
-- An undo consists of pieces. A piece undoes the changes of one kind (inserted, updated or deleted rows) to the same columns of one table.

-- The pieces of an undo (see `undo_piece`), sorted so that a table comes before the tables that refer to it. Tables that refer to each
-- other keep their order.
create or replace function usher.parents_first(pieces jsonb) returns jsonb
language plpgsql stable
as $$
declare
    waiting oid[] := array(select distinct (p.value ->> 'oid')::oid from jsonb_array_elements(pieces) p order by 1);
    placed oid[] := '{}';
    next oid;
begin
    while cardinality(waiting) > 0 loop
        select w.oid into next
          from unnest(waiting) as w (oid)
         order by exists (select from pg_constraint c
                           where c.contype = 'f' and c.conrelid = w.oid and c.confrelid <> w.oid and c.confrelid = any (waiting)), w.oid
         limit 1;
        placed := placed || next;
        waiting := array_remove(waiting, next);
    end loop;
    return (select jsonb_agg(p.value order by array_position(placed, (p.value ->> 'oid')::oid), p.place)
              from jsonb_array_elements(pieces) with ordinality as p (value, place));
end
$$;

-- SQL that reads a column from a recorded row. `object` is SQL for the recorded JSON. If the JSON value is a text or a number, the SQL
-- casts this value, because converting the whole row to the type of the table would double the time of the statement.
create or replace function usher.recorded_value(shape usher.shape, of usher.shape_column, object text) returns text
language sql immutable
as $$
    select case
           when of.form in ('json', 'plain', 'float')
           then format('(%s ->> %L)::%s', recorded_value.object, of.name, of.bare_type)
           when of.form = 'jsonb'
           then format('case when pg_catalog.jsonb_typeof(%1$s) = ''string'' then (%1$s #>> ''{}'')::%2$s else %3$s end',
                       v.recorded, of.bare_type, v.converted)
           else v.converted end
      from (select format('(%s -> %L)', recorded_value.object, of.name) as recorded,
                   format('(pg_catalog.jsonb_populate_record(null::%s, %s)).%s', shape.sql, recorded_value.object, of.sql) as converted) v
$$;

-- The statement that undoes changes of one kind to the same columns of a table, and a `correction`: a second statement that restores rows
-- which triggers of other tables changed after the first one. `f` has SQL fragments (see `undo_piece`). The first statement keeps the
-- current value of a column that changed after the operation, so only a trigger can write another value into this column. If triggers of
-- other tables could run before the statement, $3 has the rows before the undo. The correction keeps columns that don't have their old
-- values after the first statement; $3 has their names, by table.
create or replace function usher.undo_statement(shape usher.shape, f jsonb, kind text, columns text[], out statement text, out correction text)
language sql stable
as $$
    select case undo_statement.kind
           when 'insert' then concat('delete from ', s.target, ' t using ', format(s.made, f ->> 'keys', f ->> 'changes', f ->> 'ours'), s.same)
           when 'delete' then format('insert into %s as t (%s) overriding system value select %s from %s where %s',
                                     shape.sql, c.list, c.amounts, f ->> 'changes', f ->> 'ours')
           else concat('update ', s.target, ' t set ', c.pairs, format(s.made, concat_ws(', ', f ->> 'keys', c.merged), s.now, f ->> 'ours'), s.same) end,
           case undo_statement.kind
           when 'update' then concat('update ', s.target, ' t set ', c.pairs, format(
               s.made, concat_ws(', ', f ->> 'keys', c.corrected), s.now, format('%s and exists (select from jsonb_each(c.payload -> ''before'') e (name, value)
                                       where (now.image -> e.name)::text is distinct from e.value::text
                                         and not coalesce($3 -> %L, ''[]'') ? e.name)', f ->> 'ours', shape.name)), s.same) end
             -- ONLY would exclude all rows of a partitioned table.
      from (select case when shape.is_partitioned then '' else 'only ' end || shape.sql as target,
                   -- A subselect computes the new values, because with Citus a statement that writes can't call functions.
                   '(select %s from %s where %s) k' as made, ' where ' || (f ->> 'same') as same,
                   concat(f ->> 'changes', ' join ', f ->> 'current') as now) s
     cross join (
           select string_agg(c.sql, ', ' order by c.place) as list,
                  string_agg(v.recorded, ', ' order by c.place) as amounts,
                  string_agg(format('case when (coalesce($3 #> array[''was'', c.ordinal::text], now.image) -> %1$L)::text
                                                 is distinct from (c.payload -> ''after'' -> %1$L)::text then t.%2$s else %3$s end as %4$I',
                                    c.name, c.sql, v.recorded, 'usher ' || c.place), ', ' order by c.place) as merged,
                  string_agg(format('case when coalesce($3 -> %1$L, ''[]'') ? %2$L then t.%3$s else %4$s end as %5$I',
                                    shape.name, c.name, c.sql, v.recorded, 'usher ' || c.place), ', ' order by c.place) as corrected,
                  format('(%s) = row(%s) from ', string_agg(c.sql, ', ' order by c.place),
                         string_agg(format('k.%I', 'usher ' || c.place), ', ' order by c.place)) as pairs
             from unnest(shape.columns) c
            cross join lateral (select usher.recorded_value(shape, c, 'c.payload -> ''before''') as recorded) v
            where case undo_statement.kind when 'delete' then not c.is_generated
                                           else c.is_settable and c.name = any (undo_statement.columns) end) c
$$;

-- The piece of an undo for the recorded changes with the given ordinals: its step, its correction, and a query for `current_rows`. With
-- `compares_users`, a row that belongs to another user now counts as changed.
--
-- In the SQL, `c` is a change, and `k` is its key with the types of the table. `current` adds the current row `t` and its image.
create or replace function usher.undo_piece(
    shape usher.shape, operation uuid, kind text, columns text[], ordinals integer[], compares_users boolean
) returns jsonb
language plpgsql stable
as $$
declare
    keys constant text[] := array(select c.sql from unnest(shape.columns) c where c.in_key);
    same constant text := (select string_agg(format('t.%1$s = k.%1$s', n.name), ' and ') from unnest(keys) n (name));
    changes constant text := format('usher.change c cross join lateral (select %s) k', (
        select string_agg(usher.recorded_value(shape, c, 'c.payload -> ''key''') || ' as ' || c.sql, ', ') from unnest(shape.columns) c where c.in_key));
    ours constant text := format('c.operation = %L::uuid and c.ordinal = any (%L::integer[])', operation, ordinals);
    -- With Citus, the SQL reads rows by key, because a join with a local table would read all rows.
    stored constant text := case when shape.is_distributed then
        (select format('(select t.* from %s t where %s offset 0)', shape.sql, string_agg(
                    format('t.%1$s = any (array(select k.%1$s from %2$s where %3$s))', n.name, changes, ours), ' and '))
           from unnest(keys) n (name))
        else shape.sql end;
    current constant text := format('%s t on %s cross join lateral (select %s as image offset 0) now', stored, same, shape.image);
    after constant text := case when compares_users then 'coalesce((c.payload -> ''after'') || (c.payload -> ''users''), c.payload -> ''after'')'
                                else 'c.payload -> ''after''' end;
    made record;
begin
    select * into made from usher.undo_statement(shape, jsonb_build_object(
        'keys', (select string_agg('k.' || n.name, ', ') from unnest(keys) n (name)), 'changes', changes, 'ours', ours, 'same', same, 'current', current),
        undo_piece.kind, undo_piece.columns);
    return jsonb_build_object(
        'oid', shape.oid, 'kind', undo_piece.kind, 'columns', to_jsonb(undo_piece.columns), 'changes', cardinality(ordinals),
        'correction', made.correction,
        -- After the outer join, the key is NULL only if the row doesn't exist.
        'rows', format(
            'select c.ordinal, %L as kind, %2$L as "table", %2$L || '' '' || (c.payload ->> ''key'') as key,
                    array(select e.value from jsonb_each_text(c.payload -> ''key'') e) as "of", c.payload -> ''before'' as before,
                    %8$s as after, case when t.%3$s is not null then now.image end as image, %4$s as is_written
               from %5$s left join %6$s where %7$s',
            undo_piece.kind, shape.name, keys[1],
            case when shape.is_distributed then 'true' else usher.is_of_own(shape, 't.xmin', 'in progress') end, changes, current, ours, after),
        'step', jsonb_build_object(
            'summary', format(case undo_piece.kind when 'insert' then 'deleting the rows that were inserted into %s'
                                                   when 'update' then 'restoring %s'
                                                   else 'inserting the deleted rows of %s again' end, shape.name),
            'sql', made.statement, 'returning', 'returning t.tableoid::pg_catalog.text, t.ctid::text', 'alias', 't', 'counted', 0,
            'targets', jsonb_build_array(jsonb_build_object(
                'schema', shape.schema, 'name', shape.relation, 'heirs', false,
                'verb', case undo_piece.kind when 'insert' then 'delete' when 'delete' then 'insert' else 'update' end))));
end
$$;

-- Refuses to undo changes if the table was dropped, renamed or lost its key, or if no statement can restore its columns. Also refuses to
-- restore a deleted row with a secret, or a changed secret (`changed`), because usher never records secrets.
create or replace function usher.refuse_unrestorable(name text, kind text, columns text[], changed text, shape usher.shape) returns void
language plpgsql immutable
as $$
declare
    secret constant text := coalesce(changed, case kind when 'delete' then (select c.name from unnest(shape.columns) c where c.is_secret limit 1) end);
    -- The code and the reason.
    obstacle constant text[] := case
        when shape.key is null then array['other_table', format(
            'the table %s was dropped, renamed or lost its key after the operation, so usher can''t undo the operation', name)]
        when secret is not null then array['secret', format(
            'the operation changed or deleted the secret %s of %s, and usher never records secrets, so usher can''t restore it', secret, name)]
        when kind = 'update' and not exists (select from unnest(shape.columns) c where c.is_settable and c.name = any (columns))
        then array['irreversible', format('the server computes %s of %s, so usher can''t restore it', array_to_string(columns, ', '), name)] end;
begin
    if obstacle is not null then raise exception '%', obstacle[2] using errcode = 'US003', detail = obstacle[1]; end if;
end
$$;

-- The pieces of the undo of an operation, sorted by `parents_first`, and remarks on changes that can't be undone. `chosen` has the ordinals
-- of the changes to undo; NULL means all recorded changes. For `compares_users` see `undo_piece`.
create or replace function usher.undo_steps(app jsonb, operation uuid, chosen integer[], compares_users boolean) returns jsonb
language plpgsql stable
as $$
declare
    recorded record;
    shape usher.shape;
    pieces jsonb := '[]';
    remarks jsonb := '[]';
begin
    for recorded in
        select g.*, (select t.oid from pg_class t join pg_namespace n on n.oid = t.relnamespace
                      where n.nspname || '.' || t.relname = g.relation and t.relkind in ('r', 'p')) as oid
          from (select c.payload ->> 'table' as relation,
                       case when jsonb_typeof(c.payload -> 'before') is distinct from 'object' then 'insert'
                            when jsonb_typeof(c.payload -> 'after') is distinct from 'object' then 'delete' else 'update' end as kind,
                       k.written as columns, c.payload -> 'key' = '{}' as keyless,
                       array_agg(c.ordinal order by c.ordinal) as ordinals, min(c.payload -> 'secrets' ->> 0) as secret
                  from usher.change c
                 cross join lateral (
                       select coalesce(array_agg(e.name order by e.name), '{}') as written
                         from jsonb_object_keys(case when jsonb_typeof(c.payload -> 'before') = 'object' then c.payload -> 'before'
                                                     else '{}' end) e (name)
                        where jsonb_typeof(c.payload -> 'after') = 'object') k
                 where c.operation = undo_steps.operation and c.payload is not null
                   and (undo_steps.chosen is null or c.ordinal = any (undo_steps.chosen))
                 group by 1, 2, 3, 4) g
         order by g.relation, g.kind
    loop
        if recorded.keyless then
            remarks := remarks || jsonb_build_object('left', 'keyless', 'table', recorded.relation);
            continue;
        end if;
        shape := usher.shape(recorded.oid, app);
        perform usher.refuse_unrestorable(recorded.relation, recorded.kind, recorded.columns, recorded.secret, shape);
        pieces := pieces || usher.undo_piece(shape, operation, recorded.kind, recorded.columns, recorded.ordinals, compares_users);
    end loop;
    if pieces = '[]' then
        raise exception 'can''t undo operation %: %', undo_steps.operation, coalesce(
                  remarks -> 0 ->> 'table' || ' has no key, so the undo can''t remove the rows that the operation added to it',
                  'the audit log has no row that an undo could restore')
              using errcode = 'US003', detail = 'irreversible',
                    hint = format('`usher audit show %s` shows what the operation changed', undo_steps.operation);
    end if;
    return jsonb_build_object('pieces', usher.parents_first(pieces), 'remarks', remarks);
end
$$;

-- The undo of an operation as an action; one result for each order of deleting inserted rows, inserting deleted rows and updating rows.
-- The first order restores rows that were replaced under their unique key. With the second order, references to rows always exist. The
-- third order takes a unique value back from an updated row before it restores the deleted row with this value. The fourth order does the
-- same, and removes inserted rows after the updated rows that refer to them.
create or replace function usher.undo_acts(operation usher.operation, steps jsonb) returns setof usher.action
language sql stable
as $$
    select jsonb_populate_record(null::usher.action, jsonb_build_object(
        'command', 'audit undo', 'undoes', operation.id,
        'subject', case when coalesce(operation.payload -> 'users', '[]') = '[]' then 'nothing' else 'users' end,
        'expects', '[]'::jsonb, 'impacts', '[]'::jsonb, 'parameters', '[]'::jsonb,
        'pieces', steps -> 'pieces',
        'steps', jsonb_agg(p.value -> 'step' || jsonb_build_object('rows', p.value -> 'rows') order by p.turn)
                 || case when count(*) < 2 then '[]'
                         else coalesce(jsonb_agg(p.value -> 'step' || jsonb_build_object('sql', p.value -> 'correction') order by p.turn)
                                         filter (where p.value ->> 'correction' is not null), '[]') end))
      from (values (1, '{insert,delete,update}'::text[]), (2, '{delete,update,insert}'), (3, '{insert,update,delete}'),
                   (4, '{update,insert,delete}')) as o (number, kinds)
     cross join lateral (
           select p.value, row_number() over (order by array_position(o.kinds, p.value ->> 'kind'),
                                                       case p.value ->> 'kind' when 'insert' then - p.place else p.place end) as turn
             from jsonb_array_elements(steps -> 'pieces') with ordinality as p (value, place)) p
     group by o.number
     order by o.number
$$;

-- Refuses to undo an operation that doesn't exist, is already undone, is final, or changed no rows.
create or replace function usher.refuse_irrevocable(operation usher.operation, named text) returns void
language plpgsql stable
as $$
declare
    outcome constant text := usher.outcome(operation.id);
    is_bulk constant boolean := operation.kind = 'bulk';
    act constant usher.act := case when is_bulk or operation.erased is not null then usher.act_of(operation) end;
    -- The code and the reason.
    obstacle text[];
begin
    if operation.id is null then
        raise exception 'there is no operation %', named
              using errcode = 'US004', detail = 'no_operation',
                    hint = '`usher audit list` lists all operations';
    end if;
    obstacle := case
        -- An unfinished undo of a bulk change can still record its end.
        when outcome = 'undone' and not exists (
             select from usher.operation u where u.undoes = operation.id and u.kind = 'bulk' and usher.outcome(u.id) = 'running')
        then array['undone', 'it is already undone']
        -- If a deletion erased only the records about some users, usher can undo the other changes. But the audit log must still have the
        -- action, and the erased payload had the only list of the action's objects.
        when operation.erased is not null and not is_bulk
             and (act.app is null or act.definition ->> 'subject' = 'object'
                  or not exists (select from usher.change c where c.operation = refuse_irrevocable.operation.id and c.payload is not null))
        then array['erased', 'records of its changes were erased from the audit log with a user''s account']
        when coalesce(operation.payload -> 'final', act.definition -> 'final') = 'true' then array['final', format('`%s` is final', operation.command)]
        when outcome not in ('committed', 'partial', 'running', 'undone') then array['not_done', format('it changed nothing, because its outcome is `%s`', outcome)]
        -- The outcome of the first operation depends on its latest undo. Only an undo that skipped rows allows a later undo.
        when not is_bulk and exists (
             with recursive later (id, undos) as (
                 select f.id, 0 from usher.origin(operation) f where f.undos % 2 = 1
                  union all
                 select u.id, l.undos + 1 from later l join usher.operation u on u.undoes = l.id)
             select from later l join usher.operation u using (id)
              where l.undos % 2 = 1 and u.at > operation.at and usher.outcome(u.id) in ('committed', 'partial'))
        then array['in_parts', 'a later undo of the same operation restored other rows; undo that one first']
        when operation.kind not in ('change', 'undo', 'batch', 'bulk') then array['other_kind', format('`%s` has no undo', operation.command)] end;
    if obstacle is not null then
        raise exception 'can''t undo operation %: %', operation.id, obstacle[2]
              using errcode = 'US003', detail = obstacle[1], hint = format('`usher audit show %s` shows the operation', operation.id);
    end if;
end
$$;

-- The action that the undo of an operation runs again; null if the undo runs no action. The undo of an undo has the effects of the action,
-- so it needs the same people. The next undo removes these effects, so it needs only the role of the action.
create or replace function usher.act_run_again(operation usher.operation) returns usher.act
language sql stable
as $$ select a from usher.act_of(operation) a where (select f.undos % 2 from usher.origin(operation) f) = 1 $$;

-- The changes of the pieces of an undo, with their current rows: {ordinal, kind, table, key, of, before, after, image, is_written}. `key`
-- and `of` name the row in messages. `image` is the current row, or null if the row doesn't exist. `is_written` is true if this transaction
-- wrote the row.
create or replace function usher.current_rows(pieces jsonb) returns jsonb
language sql volatile
as $$ select usher.collected(array(select p.value ->> 'rows' from jsonb_array_elements(pieces) p)) $$;

-- The names of the columns in which an image differs from recorded values; none if the row doesn't exist.
create or replace function usher.differing(image jsonb, recorded jsonb) returns text[]
language sql immutable
as $$
    select array(select e.name from jsonb_each(case when jsonb_typeof(image) = 'object' and jsonb_typeof(recorded) = 'object' then recorded end) e (name, value)
                  where (image -> e.name)::text is distinct from e.value::text order by 1)
$$;

-- The changes of an undo whose rows don't have the expected values, each as {ordinal, kind, key, table, of, unlike, names, restored}. `was`
-- has the rows before the undo, and `now` has the rows after it (see `current_rows`). `unlike` is `gone`, `back` or `changed` if the row
-- changed between the operation and the undo, and `other` if the undo did not restore the row. If an action changed the keys of rows, they
-- are recorded as deleted and inserted rows. So if an inserted row of such a table changed, none of the deleted and inserted rows of this
-- table has the expected values. A replaced row has two changes, and `restored` is true for the deletion if the row changed, so that
-- messages contain the row once. Otherwise `restored` is true if the row already had its old values.
--
-- A row hasn't changed if only columns changed that a trigger overwrites, such as the time of the last change: the undo keeps their values
-- (see `undo_statement`), but they have other values after it. `overwritten` has the names of the columns that triggers of the same table
-- overwrite. Without `now`, the function ignores no columns.
create or replace function usher.unlike_rows(was jsonb, now jsonb default '[]', overwritten jsonb default '{}') returns jsonb
language sql immutable
as $$
    select coalesce(jsonb_agg(f.of - array['before', 'after', 'image', 'is_written'] || jsonb_build_object(
                        'unlike', f.unlike, 'names', array_to_string(f.names, ', '), 'restored', case f.kind
                            when 'update' then f.unlike = 'changed' and f.late <@ f.kept and not f.late && f.names
                            else f.is_replaced and f.own is null end) order by f.of ->> 'key'), '[]')
      from (select e.*, coalesce(e.own, case
                   when e.may_be_moved and bool_or(e.own is not null and e.kind = 'insert') over (partition by e.of -> 'table')
                        or e.is_replaced and bool_or(e.own <> 'other') over (partition by e.of -> 'key')
                   then 'changed' end) as unlike
      from (select r.*, n.names, k.kept, k.late, case
                   when r.kind = 'delete' and r.of -> 'image' <> 'null' and not r.is_replaced then 'back'
                   when r.kind <> 'delete' and r.of -> 'image' = 'null' then 'gone'
                   when n.names <> '{}' then 'changed'
                   when r.kind = 'insert' and a.of -> 'image' <> 'null' and not r.is_replaced
                        or r.kind <> 'insert' and a.of -> 'image' = 'null'
                        -- If a trigger skipped the row, this transaction didn't write it.
                        or r.kind = 'update' and a.of -> 'is_written' = 'false'
                        or not to_jsonb(k.kept) <@ coalesce(overwritten -> (r.of ->> 'table'), '[]') then 'other' end as own
              from (select w.*, not w.is_replaced and w.kind <> 'update'
                           and count(*) filter (where w.kind = 'delete' and not w.is_replaced) over (partition by w.of -> 'table') > 0
                           and count(*) filter (where w.kind = 'insert' and not w.is_replaced) over (partition by w.of -> 'table') > 0 as may_be_moved
                      from (select w.of, w.of ->> 'kind' as kind, count(*) over (partition by w.of -> 'key') > 1 as is_replaced
                              from jsonb_array_elements(was) w (of)) w) r
              left join jsonb_array_elements(now) a (of) on a.of -> 'ordinal' = r.of -> 'ordinal'
             cross join lateral (select usher.differing(a.of -> 'image', a.of -> 'before') as kept,
                                        usher.differing(r.of -> 'image', r.of -> 'before') as late) k
             cross join lateral (select array(
                       select m.name from unnest(usher.differing(r.of -> 'image', r.of -> 'after')) m (name)
                        where r.kind <> 'update' or a.of is null or (a.of #> array['image', m.name])::text = (r.of #> array['image', m.name])::text)
                       as names) n) e) f
     where f.unlike is not null
$$;

-- Refuses an undo if there are `rows` with unexpected values, each as {key, unlike, names, ...}.
create or replace function usher.refuse_unlike(rows jsonb, code text, complaint text) returns void
language plpgsql immutable
as $$
begin
    if rows <> '[]' then
        raise exception '%', complaint using errcode = 'US010',
              detail = concat_ws(E'\n', code, (
                  select string_agg(concat_ws(' ', r.of ->> 'key', case r.of ->> 'unlike'
                             when 'gone' then 'does not exist any more'
                             when 'back' then 'exists again'
                             when 'changed' then 'has another value now' || coalesce(' in ' || nullif(r.of ->> 'names', ''), '')
                             else 'does not have the expected values' end), E'\n' order by r.place)
                    from jsonb_array_elements(rows) with ordinality r (of, place)
                   where r.place <= 11));
    end if;
end
$$;

-- Compares the rows after an undo with the recorded changes. Returns the rows that changed between the operation and the undo; if there are
-- none, the rows that the undo did not restore. Then the caller rolls back. Otherwise returns remarks about columns that the undo could not
-- restore, because triggers overwrite them. Refuses an undo that changed or deleted other rows.
create or replace function usher.restored(pieces jsonb, was jsonb, done jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    now constant jsonb := usher.current_rows(pieces);
    unlike constant jsonb := usher.unlike_rows(was, now, done -> 'overwritten');
    since constant jsonb := jsonb_path_query_array(unlike, '$[*] ? (@.unlike != "other")');
    strays text;
begin
    if unlike <> '[]' then
        return jsonb_build_object('outcome', 'unlike', 'rows', case when since <> '[]' then since else unlike end);
    end if;
    select string_agg(s.line, E'\n') into strays
      from (select format('%s %s would be %sd', c.value ->> 'table', c.value ->> 'key', c.value ->> 'kind') as line
              from jsonb_array_elements(done -> 'changes') c
             where c.value ->> 'kind' <> 'insert'
               and concat_ws(' ', c.value ->> 'table', c.value ->> 'key') not in (select n.value ->> 'key' from jsonb_array_elements(now) n)
             limit 10) s;
    if strays is not null then
        raise exception 'the undo would also change or delete other rows, through foreign keys or triggers; nothing was changed'
              using errcode = 'US003', detail = E'strays\n' || strays;
    end if;
    return jsonb_build_object('remarks', (
        select coalesce(jsonb_agg(jsonb_build_object('left', 'overwritten', 'table', o.relation, 'names', o.names) order by o.relation), '[]')
          from (select n.of ->> 'table' as relation, string_agg(distinct d.name, ', ' order by d.name) as names
                  from jsonb_array_elements(now) n (of), unnest(usher.differing(n.of -> 'image', n.of -> 'before')) d (name)
                 group by 1) o));
end
$$;

-- The progress of the undo of a bulk change after a batch ({number, last, done, refused}), with skipped rows counted as refused.
create or replace function usher.undo_progress(place jsonb, left_out bigint) returns jsonb
language sql immutable
as $$
    select coalesce(place || jsonb_build_object('done', (place ->> 'done')::bigint - n.refused, 'refused', n.refused), '{}')
      from (select least(undo_progress.left_out, (place ->> 'done')::bigint) as refused) n
$$;

-- The number of changes of an operation whose records were erased.
create or replace function usher.erased_changes(operation uuid) returns bigint
language sql stable
as $$ select count(*) from usher.change c where c.operation = erased_changes.operation and c.payload is null $$;

-- Records the undo of an operation or of a batch, with the number of skipped rows. An operator can undo skipped rows later, but not rows
-- whose record was erased.
create or replace function usher.record_undo(
    request jsonb, undone usher.operation, app jsonb, act usher.action, environment text, subjects text[], at timestamptz, left_out bigint,
    changes jsonb, asked usher.operation default null, decisions jsonb default null
) returns void
language plpgsql volatile
as $$
declare
    erased constant bigint := usher.erased_changes(undone.id);
begin
    perform usher.record(
        (request ->> 'id')::uuid, case when request ->> 'parent' is null then 'undo' else 'batch' end,
        case record_undo.left_out when 0 then 'committed' else 'partial' end, 'audit undo',
        undone.app, undone.app_digest, (request ->> 'parent')::uuid, undone.id, undone.root, undone.subjects,
        usher.ledger_payload(record_undo.app, act, environment, record_undo.subjects, record_undo.at, '{}', request)
            || usher.undo_progress(request -> 'position', record_undo.left_out + erased)
            || jsonb_build_object('objects', undone.payload -> 'objects', 'asked_by', asked.operator, 'decisions', usher.changed_decisions(record_undo.decisions),
                                  'erased', nullif(erased, 0))
            || case when record_undo.subjects = '{}' then jsonb_build_object('target', undone.id) else '{}' end,
        record_undo.changes, asked.id);
end
$$;

-- The ordinals of the changes of an operation that are undone. The undos of the operation, the undos of these undos, and so on, form a
-- tree. For each row, the latest operation in this tree decides: it undid the change, or changed the row again. The function takes the key
-- that a row had before the undo, because an undo can restore a key.
create or replace function usher.undone_changes(operation uuid) returns integer[]
language sql stable
set enable_hashjoin = on
as $$
    with recursive later (id, at, is_undo) as (
        select u.id, u.at, true from usher.operation u where u.undoes = undone_changes.operation and u.outcome in ('committed', 'partial')
         union all
        select u.id, u.at, not l.is_undo from later l join usher.operation u on u.undoes = l.id and u.outcome in ('committed', 'partial')
    ),
    latest as (
        select distinct on (r.relation, r.key) r.relation, r.key, r.is_undo
          from (select c.payload ->> 'table' as relation, l.at, l.is_undo,
                       (select jsonb_object_agg(k.key, coalesce(c.payload -> 'before' -> k.key, k.value))
                          from jsonb_each(c.payload -> 'key') k) as key
                  from later l join usher.change c on c.operation = l.id and c.payload is not null) r
         order by r.relation, r.key, r.at desc
    )
    select coalesce(array_agg(c.ordinal), '{}')
      from usher.change c
      join latest l on l.relation = c.payload ->> 'table' and l.key = c.payload -> 'key'
     where c.operation = undone_changes.operation and l.is_undo
$$;

-- The changes to undo, without the changes that are already undone and the changes of the users in `excepted` (--except). `left_out` is the
-- number of changes of `excepted`, and `finished` has the users whose changes are all undone already. Refuses if usher can't tell to which
-- users a row belongs, or if a row belongs both to a user in `excepted` and to another user of the operation. A sample has the first
-- hundred changes of each table.
create or replace function usher.chosen_changes(
    app jsonb, undone usher.operation, is_sample boolean, excepted text[], inout subjects text[], out chosen integer[], out left_out bigint,
    out finished text[]
)
language plpgsql volatile
as $$
declare
    already_undone constant integer[] := usher.undone_changes(undone.id);
    type constant text := coalesce(app ->> 'key_type', 'text');
    skipped integer[] := '{}';
    unclear text;
    shared text;
begin
    left_out := 0;
    if excepted <> '{}' and not is_sample then
        select coalesce(array_agg(c.ordinal) filter (where c.owners && excepted), '{}'), count(*) filter (where c.owners && excepted),
               -- Among the owners, null stands for an owner whom the record doesn't show.
               min(c.relation) filter (where array_position(c.owners, null) is not null),
               min(c.relation) filter (where c.owners && excepted and c.owners && undone.subjects)
          into skipped, left_out, unclear, shared
          from usher.changes_of_users(array[undone.id], app -> 'root', excepted || undone.subjects, type) c
         where c.ordinal <> all (already_undone);
        if unclear is not null then
            raise exception 'usher can''t tell to which users the changed rows of % belong, so the undo can''t skip a user', unclear
                  using errcode = 'US003', detail = 'unclear_owner', hint = 'undo the operation without --except';
        elsif shared is not null then
            raise exception 'rows of % belong to several users of the operation, so the undo can''t skip one of them', shared
                  using errcode = 'US003', detail = 'shared_rows',
                        hint = 'undo the operation without --except, or skip all users of these rows';
        end if;
    end if;
    -- If the record of another change doesn't show the owner, every user can be the owner.
    finished := case when already_undone = '{}' then '{}' else array(
        with owned as (select * from usher.changes_of_users(array[undone.id], app -> 'root', undone.subjects, type))
        select o.key from owned c cross join unnest(c.owners) o (key)
         where not exists (select from owned u where array_position(u.owners, null) is not null and u.ordinal <> all (already_undone))
         group by o.key having bool_and(c.ordinal = any (already_undone))) end;
    subjects := array(select s.key from unnest(subjects) with ordinality as s (key, place) where s.key <> all (finished) order by s.place);
    chosen := array(
        select f.ordinal
          from (select c.ordinal, row_number() over (partition by c.payload ->> 'table' order by c.ordinal) as place
                  from usher.change c where c.operation = undone.id and c.payload is not null
                   and c.ordinal <> all (already_undone || skipped)) f
         where not is_sample or f.place <= 100 order by 1);
    if is_sample then
        subjects := array(select u.key from unnest(subjects) with ordinality as u (key, place)
                           order by not exists (select from usher.change c, jsonb_each_text(c.payload -> 'key') k
                                                 where c.operation = undone.id and c.ordinal = any (chosen) and k.value = u.key),
                                    u.place limit 100);
    end if;
end
$$;

-- Runs an undo in the first order that restores the rows (see `undo_acts`). `was` has the rows before the undo. If no order restores the
-- rows, refuses the undo; only the preview of a batch shows these rows.
create or replace function usher.undo_in_order(
    app jsonb, undone usher.operation, steps jsonb, was jsonb, keys text[], at timestamptz, is_tolerant boolean, request jsonb,
    out act usher.action, out report jsonb
)
language plpgsql volatile
as $$
declare
    rows constant jsonb := (select jsonb_object_agg(w.value ->> 'ordinal', w.value -> 'image') from jsonb_array_elements(undo_in_order.was) w);
begin
    for act in select a.* from usher.undo_acts(undone, steps) a loop
        -- The undo affects every user of the operation.
        if not is_tolerant then
            act.named := format('select unnest(%L::text[])', coalesce(undone.subjects, '{}'));
        end if;
        report := usher.run_action(
            app, act, undo_in_order.keys, at, jsonb_build_object('was', rows), request || jsonb_build_object('was', undo_in_order.was));
        -- In another order, a constraint may allow the undo, or a foreign key may keep the restored rows.
        exit when left(report -> 'error' ->> 'state', 2) is distinct from '23' and report #>> '{rows,0,unlike}' is distinct from 'other';
    end loop;
    if report #>> '{rows,0,unlike}' = 'other' and not (is_tolerant and coalesce((request ->> 'dry')::boolean, false)) then
        perform usher.refuse_unlike(report -> 'rows', 'not_restored', 'usher can''t restore these rows; nothing was changed');
    end if;
end
$$;

-- Undoes an operation row by row, in the first order that constraints allow, and records the undo. usher undoes a single operation
-- completely or not at all, but skips rows that already have their old values. For a batch, it also skips rows that changed since the
-- operation: `skipped` has up to a hundred of these, and `left_out` is their number.
--
-- Rows that changed are found before the undo. But only the undo shows which columns a trigger overwrites. So if it finds rows that changed
-- in another column, or if it fails, it is rolled back and repeated without these rows.
create or replace function usher.undo_rows(
    request jsonb, undone usher.operation, app jsonb, environment text, asked usher.operation, subjects text[], excepted text[],
    at timestamptz
) returns jsonb
language plpgsql volatile
as $$
declare
    -- The preview of a batch has the first rows of the batch.
    is_sample constant boolean := coalesce((request ->> 'tolerant')::boolean and (request ->> 'dry')::boolean, false);
    is_tolerant constant boolean := request ->> 'parent' is not null or is_sample;
    plan record;
    steps jsonb;
    was jsonb;
    changed jsonb;
    since jsonb;
    tried record;
    report jsonb;
    skipped jsonb := '[]';
begin
    select * into plan from usher.chosen_changes(app, undone, is_sample, excepted, undo_rows.subjects);
    undone.subjects := array(
        select s.key from unnest(undone.subjects) with ordinality as s (key, place) where s.key <> all (plan.finished) order by s.place);
    loop
        -- An undo that skips users must not change a row that now belongs to one of them.
        steps := usher.undo_steps(app, undone.id, plan.chosen, cardinality(excepted) > 0);
        was := usher.current_rows(steps -> 'pieces');
        changed := usher.unlike_rows(was);
        since := jsonb_path_query_array(changed, '$[*] ? (@.unlike != "changed" || @.kind != "update")');
        if since = '[]' then
            select * into tried
              from usher.undo_in_order(app, undone, steps, was, plan.subjects, at, is_tolerant, request);
            report := tried.report;
            since := case report ->> 'outcome' when 'unlike' then report -> 'rows' when 'failed' then changed else '[]' end;
        end if;
        exit when since = '[]';
        plan.chosen := array(select c.ordinal from unnest(plan.chosen) c (ordinal)
                              where c.ordinal not in (select (s.value ->> 'ordinal')::integer from jsonb_array_elements(since) s) order by 1);
        since := jsonb_path_query_array(since, '$[*] ? (@.restored == false)');
        if not is_tolerant then
            perform usher.refuse_unlike(since, 'changed_since', 'later changes overwrote rows of this operation; nothing was undone');
        end if;
        plan.left_out := plan.left_out + jsonb_array_length(since);
        skipped := jsonb_path_query_array(skipped || since, '$[0 to 99]');
        if plan.chosen = '{}' then return usher.nothing_done(case when is_tolerant then 'refused' else 'nothing' end, skipped); end if;
    end loop;
    if report ->> 'outcome' = 'done' and report ->> 'changed' is null then
        perform usher.record_undo(
            request, undone, app, tried.act, environment, plan.subjects, at, plan.left_out, report -> 'changes', asked, report -> 'decisions');
    end if;
    return report || jsonb_build_object(
        'remarks', steps -> 'remarks' || coalesce(report -> 'remarks', '[]'), 'left_out', plan.left_out,
        'users', to_jsonb(plan.subjects), 'names', usher.named_users(app, array(select jsonb_array_elements_text(report -> 'users')), at),
        'refused', coalesce(report -> 'refused', '[]') || skipped);
end
$$;

-- Undoes an operation, or a batch of a bulk change. The undo needs the role of the action. The undo of an undo runs the action again, which
-- may need two people. If the records about some users were erased, usher undoes only the changes of the other users.
create or replace function usher.undo_operation(request jsonb, at timestamptz) returns jsonb
language plpgsql volatile
as $$
declare
    opened constant usher.opened := usher.open_change(
        request, request ->> 'operation', undo_operation.at, is_resumed => request ->> 'parent' is not null);
    asked constant usher.operation := usher.asked_for(request, opened);
    undone usher.operation := opened.undone;
    act constant usher.action := jsonb_populate_record(null::usher.action, (usher.act_of(undone)).definition);
    subjects text[];
    excepted text[];
    erased bigint := 0;
    report jsonb;
begin
    if undone.erased is not null then
        undone.payload := jsonb_build_object('users', case when act.subject = 'users' then to_jsonb(coalesce(undone.subjects, '{}')) end);
        erased := usher.erased_changes(undone.id);
    end if;
    subjects := usher.keys(undone.payload -> 'users', coalesce(opened.app ->> 'key_type', 'text'));
    -- The undo doesn't affect the users of --except.
    excepted := usher.keys(request -> 'except', coalesce(opened.app ->> 'key_type', 'text'));
    if excepted <> '{}' and undone.undoes is not null then
        raise exception 'the undo of an undo can''t skip users' using errcode = 'US003', detail = 'excepted_undo',
              hint = 'undo it without --except';
    end if;
    if not excepted <@ (coalesce(undone.subjects, '{}') || subjects) then
        raise exception 'the operation did not change every user of --except' using errcode = 'US004', detail = 'not_changed';
    end if;
    subjects := array(select s.key from unnest(subjects) with ordinality as s (key, place) where s.key <> all (excepted) order by s.place);
    undone.subjects := array(
        select s.key from unnest(undone.subjects) with ordinality as s (key, place) where s.key <> all (excepted) order by s.place);
    -- Two undos of the same rows take the same lock, also if they have more than a hundred users.
    report := coalesce(
        usher.take_locks(array[hashtextextended('usher undo ' || (select f.id from usher.origin(undone) f), 0)]),
        usher.lock_keys(
            undone.app, opened.app -> 'root', 'object', act.noun,
            array(select jsonb_array_elements_text(coalesce(undone.payload -> 'objects', '[]'))),
            coalesce(nullif(undone.subjects, '{}'), subjects)));
    if report is not null then return report; end if;
    if request ->> 'parent' is not null and not opened.is_dry then
        report := usher.undo_at_once(request, undone, opened.app, opened.environment, subjects, at);
        -- The failed statement is rolled back, but the server still counts its rows.
        if report is null then request := request || jsonb_build_object('guarded', usher.guarded()); end if;
    end if;
    report := coalesce(report, usher.undo_rows(request, undone, opened.app, opened.environment, asked, subjects, excepted, at))
        || jsonb_build_object('environment', opened.environment, 'now', at::text);
    if report -> 'remarks' is null then return report; end if;
    return report || jsonb_build_object(
        'left_out', (report ->> 'left_out')::bigint + erased,
        'remarks', report -> 'remarks' || case when erased = 0 then '[]'
                   else jsonb_build_array(jsonb_build_object('left', 'erased', 'table', '', 'names', erased::text)) end);
end
$$;

-- Undoes an operation: {id, operation, except, now, plan, dry, confirmed, reason, ticket}. Restores only recorded changes of the operation,
-- and only rows that did not change since. Call this function like `usher.run`.
create or replace function usher.undo(request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    guarded constant jsonb := usher.open_transaction(request);
    report jsonb;
begin
    if request ->> 'operation' is null then
        raise exception 'the request doesn''t name the operation to undo' using errcode = 'US002', detail = 'no_operation';
    end if;
    -- The functions for undos also take terms that only a batch may give, such as the parent.
    report := usher.undo_operation((
        select jsonb_object_agg(m.key, m.value) || jsonb_build_object('guarded', guarded)
          from jsonb_each(request) m
         where m.key = any ('{id,operation,except,plan,dry,tolerant,confirmed,request,moved,keys,arguments,reason,ticket}')),
        usher.instant(request ->> 'now'));
    if report ->> 'outcome' <> 'done' then perform usher.refuse_beside(guarded); end if;
    return report;
end
$$;
