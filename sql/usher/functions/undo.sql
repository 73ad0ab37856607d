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
create or replace function usher.recorded_value(shape jsonb, of jsonb, object text) returns text
language sql immutable
as $$
    select case
           when of ->> 'form' in ('json', 'plain', 'float')
           then format('(%s ->> %L)::%s', recorded_value.object, of ->> 'name', of ->> 'bare_type')
           when of ->> 'form' = 'jsonb'
           then format('case when pg_catalog.jsonb_typeof(%1$s) = ''string'' then (%1$s #>> ''{}'')::%2$s else %3$s end',
                       v.recorded, of ->> 'bare_type', v.converted)
           else v.converted end
      from (select format('(%s -> %L)', recorded_value.object, of ->> 'name') as recorded,
                   format('(pg_catalog.jsonb_populate_record(null::%s, %s)).%s', shape ->> 'sql', recorded_value.object, of ->> 'sql') as converted) v
$$;

-- SQL fragments for the undo of changes of one kind to the same columns of a table. `changes` is a FROM clause for the recorded changes:
-- `c` is a change, and `k` is its key with the types of the table. `ours` is the condition that selects the changes. `compared` adds the
-- current row `t` and its image. `chosen` has the ordinals of the changes to undo; NULL means all changes.
create or replace function usher.undo_fragments(shape jsonb, operation uuid, kind text, columns text[], chosen integer[]) returns jsonb
language plpgsql stable
as $$
declare
    name constant text := shape ->> 'name';
    same constant text := (select string_agg(format('t.%1$s = k.%1$s', c.value ->> 'sql'), ' and ')
                             from jsonb_array_elements(shape -> 'columns') c where (c.value ->> 'in_key')::boolean);
    changes constant text := format('usher.change c cross join lateral (select %s) k', (
        select string_agg(usher.recorded_value(shape, c.value, 'c.payload -> ''key''') || ' as ' || (c.value ->> 'sql'), ', ')
          from jsonb_array_elements(shape -> 'columns') c where (c.value ->> 'in_key')::boolean));
    ours constant text := format('c.operation = %L::uuid and c.payload ->> ''table'' = %L and ', operation, name)
        || case when chosen is null then '' else format('c.ordinal = any (%L::integer[]) and ', chosen) end || case undo_fragments.kind
        when 'insert' then 'jsonb_typeof(c.payload -> ''before'') is distinct from ''object'''
        when 'delete' then 'jsonb_typeof(c.payload -> ''after'') is distinct from ''object'''
        else format('jsonb_typeof(c.payload -> ''before'') = ''object'' and jsonb_typeof(c.payload -> ''after'') = ''object''
                     and c.payload -> ''before'' ?& %1$L::text[] and (c.payload -> ''before'') - %1$L::text[] = ''{}''', columns)
        end;
    -- With Citus, the SQL reads rows by key, because a join with a local table would read all rows.
    stored constant text := case when (shape ->> 'distributed')::boolean then
        (select format('(select t.* from %s t where %s offset 0)', shape ->> 'sql', string_agg(
                    format('t.%1$s = any (array(select k.%1$s from %2$s where %3$s))', c.value ->> 'sql', changes, ours), ' and '))
           from jsonb_array_elements(shape -> 'columns') c (value) where (c.value ->> 'in_key')::boolean)
        else shape ->> 'sql' end;
begin
    return jsonb_build_object(
        'same', same, 'changes', changes, 'ours', ours,
        'compared', format('%s t on %s cross join lateral (select %s as image offset 0) now', stored, same, shape ->> 'image'),
        -- ONLY would exclude all rows of a partitioned table.
        'target', case when (shape ->> 'partitioned')::boolean then '' else 'only ' end || (shape ->> 'sql'),
        'keys', (select string_agg('k.' || (c.value ->> 'sql'), ', ')
                   from jsonb_array_elements(shape -> 'columns') c where (c.value ->> 'in_key')::boolean),
        -- After the outer join, the key is NULL only if the row doesn't exist.
        'missing', (select format('t.%s is null', min(c.value ->> 'sql'))
                      from jsonb_array_elements(shape -> 'columns') c where (c.value ->> 'in_key')::boolean),
        -- True if a column doesn't have its old value; ignores columns that triggers overwrite.
        'different', format(
            'exists (select from jsonb_each(c.payload -> ''before'') e (name, value)
                      where (now.image -> e.name)::text is distinct from e.value::text and not coalesce($3 -> %L, ''[]'') ? e.name)', name),
        -- True if the operation itself replaced this row by another row with the same key.
        'replaced', format(
            'exists (select from usher.change o
                      where o.operation = c.operation and o.ordinal <> c.ordinal and o.payload ->> ''table'' = %L
                        and o.payload -> ''key'' = c.payload -> ''key'')', name));
end
$$;

-- The statement that undoes the changes of `undo_fragments`, and a `correction`: a second statement that restores rows which triggers of
-- other tables changed after the first one. The first statement restores every changed column. The correction skips columns that a trigger
-- overwrote after the first statement.
create or replace function usher.undo_statement(shape jsonb, f jsonb, kind text, columns text[], out statement text, out correction text)
language plpgsql stable
as $$
declare
    -- A subselect computes the new values, because with Citus a statement that writes can't call functions.
    made constant text := '(select %s%s from %s where %s) k';
    list text;
    amounts text;
    made_amounts text;
begin
    select string_agg(c.value ->> 'sql', ', ' order by c.place),
           string_agg(case undo_statement.kind when 'delete' then v.amount else format('%s as %I', v.amount, 'usher ' || c.place) end, ', ' order by c.place),
           string_agg(format('k.%I', 'usher ' || c.place), ', ' order by c.place)
      into list, amounts, made_amounts
      from jsonb_array_elements(shape -> 'columns') with ordinality as c (value, place),
           lateral (select usher.recorded_value(shape, c.value, 'c.payload -> ''before''') as amount) v
     where case undo_statement.kind when 'delete' then not (c.value ->> 'generated')::boolean
                                    else (c.value ->> 'settable')::boolean and c.value ->> 'name' = any (undo_statement.columns) end;
    case undo_statement.kind
        when 'insert' then
            statement := format('delete from %s t using %s where %s', f ->> 'target',
                                format(made, f ->> 'keys', '', f ->> 'changes', f ->> 'ours'), f ->> 'same');
        when 'delete' then
            statement := format('insert into %s as t (%s) overriding system value select %s from %s where %s',
                                shape ->> 'sql', list, amounts, f ->> 'changes', f ->> 'ours');
        else
            statement := format('update %s t set (%s) = row(%s) from %s where %s', f ->> 'target', list, made_amounts,
                                format(made, f ->> 'keys', ', ' || amounts, f ->> 'changes', f ->> 'ours'), f ->> 'same');
            correction := format('update %s t set (%s) = row(%s) from %s where %s', f ->> 'target', list, made_amounts,
                                 format(made, f ->> 'keys', ', ' || amounts, concat(f ->> 'changes', ' join ', f ->> 'compared'),
                                        concat(f ->> 'ours', ' and ', f ->> 'different')), f ->> 'same');
    end case;
end
$$;

-- Queries about the changes of `undo_fragments`: `since` returns the rows that changed since the operation, `apart` the columns without
-- their old values, and `unrestored` the rows that the undo didn't restore. `of_users` returns the ordinals of the changes that belong
-- to the users $2, and `confine` the table and the key of each row that was written. A change belongs to a user if the change or the current row contains the user's key. $3 has the names of columns
-- that triggers overwrite, by table.
create or replace function usher.undo_questions(shape jsonb, f jsonb, kind text) returns jsonb
language plpgsql stable
as $$
declare
    name constant text := shape ->> 'name';
    -- The columns that identify the row in messages.
    which constant text := format(
        '%1$L || '' '' || (c.payload ->> ''key'') as key, %1$L as "table", array(select e.value from jsonb_each_text(c.payload -> ''key'') e) as "of"', name);
    -- The names of the columns in which the current row differs from an image of the change.
    unlike constant text := 'array(select e.name from jsonb_each(case jsonb_typeof(c.payload -> %1$L) when ''object'' then c.payload -> %1$L end) e (name, value)
                                    where (now.image -> e.name)::text is distinct from e.value::text order by 1)';
    wrong constant text := case undo_questions.kind
        when 'insert' then format('not %s and not %s', f ->> 'missing', f ->> 'replaced')
        when 'delete' then concat(f ->> 'missing', ' or ', f ->> 'different')
        -- If a trigger skipped the row, this transaction didn't write it.
        else concat(f ->> 'missing', case when not (shape ->> 'distributed')::boolean
                                          then format(' or not (%s)', usher.is_of_own(shape, 't.xmin', 'in progress')) end,
                    ' or ', f ->> 'different') end;
begin
    return jsonb_build_object(
        'since', format(
            'select s.*
               from (select c.ordinal, %s, %L as kind, %s as unlike, m.moved, %s as apart
                       from %s left join %s cross join lateral (select %s as moved) m
                      where %s) s
              where s.unlike is not null', which, undo_questions.kind, case undo_questions.kind
                  when 'delete' then format('case when not %s and not %s then ''back'' end', f ->> 'missing', f ->> 'replaced')
                  else format('case when %s then ''gone'' when m.moved <> ''{}'' then ''changed'' end', f ->> 'missing') end,
            format(unlike, 'before'), f ->> 'changes', f ->> 'compared', format(unlike, 'after'), f ->> 'ours'),
        'apart', case when undo_questions.kind <> 'insert' then format(
            'select c.ordinal, %L as "table", a.names, a.total
               from %s join %s
              cross join lateral (select %s as names, (select count(*) from jsonb_object_keys(c.payload -> ''before'')) as total) a
              where %s and a.names <> ''{}''', name, f ->> 'changes', f ->> 'compared', format(unlike, 'before'), f ->> 'ours') end,
        'unrestored', format(
            'select %s, ''other'' as unlike from %s left join %s where %s and (%s) order by 1 limit 11',
            which, f ->> 'changes', f ->> 'compared', f ->> 'ours', wrong),
        'of_users', format(
            'select c.ordinal from %s left join %s
              where %s and (exists (select from jsonb_path_query(c.payload, ''$.*.*'') v (of) where v.of #>> ''{}'' = any ($2))
                            or exists (select from jsonb_each_text(now.image) v where v.value = any ($2)))',
            f ->> 'changes', f ->> 'compared', f ->> 'ours'),
        'confine', format('select c.payload -> ''table'' as relation, c.payload -> ''key'' as key from usher.change c where %s', f ->> 'ours'));
end
$$;

-- The piece of an undo for the changes of one kind to the same columns of one table: its step, its correction, and its queries.
create or replace function usher.undo_piece(shape jsonb, operation uuid, kind text, columns text[], chosen integer[]) returns jsonb
language plpgsql stable
as $$
declare
    f constant jsonb := usher.undo_fragments(shape, operation, undo_piece.kind, undo_piece.columns, chosen);
    made record;
begin
    select * into made from usher.undo_statement(shape, f, undo_piece.kind, undo_piece.columns);
    return usher.undo_questions(shape, f, undo_piece.kind) || jsonb_build_object(
        'oid', shape ->> 'oid', 'table', shape ->> 'name', 'kind', undo_piece.kind, 'columns', to_jsonb(undo_piece.columns),
        'correction', made.correction,
        'step', jsonb_build_object(
            'summary', format(case undo_piece.kind when 'insert' then 'deleting the rows that were inserted into %s'
                                                   when 'update' then 'restoring %s'
                                                   else 'inserting the deleted rows of %s again' end, shape ->> 'name'),
            'sql', made.statement, 'returning', 'returning t.tableoid::pg_catalog.text, t.ctid::text', 'alias', 't', 'counted', 0,
            'targets', jsonb_build_array(jsonb_build_object(
                'schema', shape -> 'schema', 'name', shape -> 'relation', 'heirs', false,
                'verb', case undo_piece.kind when 'insert' then 'delete' when 'delete' then 'insert' else 'update' end))));
end
$$;

-- Refuses to undo changes if the table was dropped, renamed or lost its key. Also refuses to restore a deleted row with a secret, or a
-- changed secret (`changed`), because usher never records secrets.
create or replace function usher.refuse_unrestorable(name text, kind text, changed text, shape jsonb) returns void
language plpgsql immutable
as $$
declare
    secret constant text := jsonb_path_query_first(shape, '$.columns[*] ? (@.secret == true).name') #>> '{}';
begin
    if shape ->> 'key' is null then
        raise exception 'the table % was dropped, renamed or lost its key after the operation, so usher can''t undo the operation', name using errcode = 'US003', detail = 'other_table';
    end if;
    if kind = 'delete' and secret is not null then
        raise exception 'the table % has the secret column %, and usher never records secrets, so usher can''t restore deleted rows', name, secret
              using errcode = 'US003', detail = 'secret_rows';
    end if;
    if changed is not null then
        raise exception 'the operation changed the secret column % of %, and usher never records secrets, so usher can''t restore the old value', changed, name
              using errcode = 'US003', detail = 'secret_column';
    end if;
end
$$;

-- The pieces of the undo of an operation, sorted by `parents_first`, and remarks on changes that can't be undone. `chosen` has the ordinals
-- of the changes to undo; NULL means all recorded changes.
create or replace function usher.undo_steps(app jsonb, operation uuid, chosen integer[]) returns jsonb
language plpgsql stable
as $$
declare
    recorded record;
    shape jsonb;
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
                       count(*) as changes, min(c.payload -> 'secrets' ->> 0) as secret
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
        shape := usher.shape(recorded.oid, array(select jsonb_array_elements_text(app -> 'secrets')));
        perform usher.refuse_unrestorable(recorded.relation, recorded.kind, recorded.secret, shape);
        if recorded.kind = 'update' and not exists (
            select from jsonb_array_elements(shape -> 'columns') c (of)
             where (c.of ->> 'settable')::boolean and c.of ->> 'name' = any (recorded.columns)) then
            remarks := remarks || jsonb_build_object(
                'left', 'overwritten', 'table', recorded.relation, 'names', array_to_string(recorded.columns, ', '));
            continue;
        end if;
        pieces := pieces || (usher.undo_piece(shape, operation, recorded.kind, recorded.columns, undo_steps.chosen)
                             || jsonb_build_object('changes', recorded.changes));
    end loop;
    if pieces = '[]' then
        raise exception 'can''t undo operation %: %', undo_steps.operation, case remarks -> 0 ->> 'left'
                  when 'keyless' then format('%s has no key, so the undo can''t remove the rows that the operation added to it', remarks -> 0 ->> 'table')
                  when 'overwritten' then format('a trigger overwrites %s of %s', remarks -> 0 ->> 'names', remarks -> 0 ->> 'table')
                  else 'the audit log has no row that an undo could restore' end
              using errcode = 'US003', detail = 'irreversible',
                    hint = format('`usher audit show %s` shows what the operation changed', undo_steps.operation);
    end if;
    return jsonb_build_object(
        'pieces', usher.parents_first(pieces),
        'remarks', (select coalesce(jsonb_agg(r.value order by r.place), '[]')
                      from (select x.value, min(x.place) as place from jsonb_array_elements(remarks) with ordinality as x (value, place)
                             group by 1) r));
end
$$;

-- The undo of an operation as an action; one result for each order of deleting, inserting and updating rows. Constraints may allow only
-- some of these orders.
create or replace function usher.undo_acts(operation usher.operation, steps jsonb) returns setof jsonb
language sql stable
as $$
    select jsonb_build_object(
        'command', 'audit undo', 'undoes', operation.id,
        'subject', case when coalesce(operation.payload -> 'users', '[]') = '[]' then 'nothing' else 'users' end,
        'refusals', 0, 'expects', '[]'::jsonb, 'impacts', '[]'::jsonb, 'parameters', '[]'::jsonb,
        'pieces', steps -> 'pieces',
        'steps', jsonb_agg(p.value -> 'step' || jsonb_build_object('apart', p.value -> 'apart') order by p.turn)
                 || case when count(*) < 2 then '[]'
                         else coalesce(jsonb_agg(p.value -> 'step' || jsonb_build_object('sql', p.value -> 'correction') order by p.turn)
                                         filter (where p.value ->> 'correction' is not null), '[]') end)
      from (values (1, '{insert,delete,update}'::text[]), (2, '{delete,update,insert}'), (3, '{update,insert,delete}'),
                   (4, '{insert,update,delete}'), (5, '{update,delete,insert}'), (6, '{delete,insert,update}')) as o (number, kinds)
     cross join lateral (
           select p.value, row_number() over (order by array_position(o.kinds, p.value ->> 'kind'),
                                                       case p.value ->> 'kind' when 'insert' then - p.place else p.place end) as turn
             from jsonb_array_elements(steps -> 'pieces') with ordinality as p (value, place)) p
     group by o.number
     order by o.number
$$;

-- Refuses to undo an operation that doesn't exist, is already undone, is final, or changed no rows.
create or replace function usher.refuse_irrevocable(operation usher.operation, request jsonb) returns void
language plpgsql stable
as $$
declare
    outcome constant text := usher.outcome(operation.id);
    is_bulk constant boolean := operation.kind = 'bulk';
    act constant usher.act := case when is_bulk or operation.erased is not null then usher.act_of(operation) end;
    code text;
begin
    if operation.id is null then
        raise exception 'there is no operation %', request ->> 'operation'
              using errcode = 'US004', detail = 'no_operation',
                    hint = '`usher audit list` lists all operations';
    end if;
    code := case
        when outcome = 'undone' then 'undone'
        -- If a deletion erased only the records about some users, usher can undo the other changes. But the audit log must still have the
        -- action, and the erased payload had the only list of the action's objects.
        when operation.erased is not null and not is_bulk
             and (act.app is null or act.definition ->> 'subject' = 'object'
                  or not exists (select from usher.change c where c.operation = refuse_irrevocable.operation.id and c.payload is not null))
        then 'erased'
        when coalesce(operation.payload -> 'final', act.definition -> 'final') = 'true' then 'final'
        when outcome not in ('committed', 'partial', 'running') then 'not_done'
        when operation.kind not in ('change', 'undo', 'batch', 'bulk') then 'other_kind' end;
    if code is null then return; end if;
    raise exception 'can''t undo operation %: %', operation.id, case code
              when 'undone' then 'it is already undone'
              when 'erased' then 'records of its changes were erased from the audit log with a user''s account'
              when 'final' then format('`%s` is final', operation.command)
              when 'not_done' then format('it changed nothing, because its outcome is `%s`', outcome)
              else format('`%s` has no undo', operation.command) end
          using errcode = 'US003', detail = code, hint = format('`usher audit show %s` shows the operation', operation.id);
end
$$;

-- The kind of change that an undo makes. The undo of an undo runs the action again, so it has the kind of the action.
create or replace function usher.kind_of_undoing(operation usher.operation) returns text
language sql stable
as $$
    with recursive origin (undoes, depth) as (
        select operation.undoes, 0
         union all
        select o.undoes, u.depth + 1 from origin u join usher.operation o on o.id = u.undoes
    )
    select case max(u.depth) % 2 when 1 then coalesce((usher.act_of(operation)).kind, 'undo') else 'undo' end from origin u
$$;

-- The changes of an operation whose rows changed since, each as {ordinal, key, table, of, unlike, names, restored}. `restored` is true if
-- the row already has the values from before the operation.
--
-- The function ignores columns that a trigger overwrites, such as the time of the last change. To find these columns, it undoes the
-- operation, compares the rows, and rolls back. If the undo fails or may not run, it ignores no columns.
create or replace function usher.changed_since(
    app jsonb, undone usher.operation, steps jsonb, may_run boolean default true
) returns jsonb
language plpgsql volatile
as $$
declare
    relations constant jsonb := usher.writable_relations(jsonb_build_object('steps', jsonb_path_query_array(steps, '$.pieces[*].step')));
    act jsonb;
    found jsonb;
    kept jsonb := '[]';
begin
    found := usher.found(steps -> 'pieces', 'since');
    if may_run and jsonb_path_exists(found, '$[*] ? (@.unlike == "changed" && @.kind == "update")') then
        for act in select a.act from usher.undo_acts(undone, steps) a (act) loop
            begin
                perform usher.run_steps(app, act, relations, usher.deferred(), '{}', transaction_timestamp(), '{}', '{}', '{}', '{}', '{}');
                kept := usher.found(steps -> 'pieces', 'apart');
                raise sqlstate 'UA001';
            exception
                when sqlstate 'UA001' then exit;
                when sqlstate 'UA005' then null;
            end;
        end loop;
    end if;
    return (
        select coalesce(jsonb_agg(f.of - array['kind', 'moved', 'apart']
                                  || jsonb_build_object('names', array_to_string(f.names, ', '), 'restored', f.is_restored)
                                  order by f.of ->> 'key'), '[]')
          from (select r.of, n.names,
                       case r.of ->> 'kind' when 'insert' then r.of ->> 'unlike' = 'gone'
                                            when 'update' then r.of ->> 'unlike' = 'changed' and k.names @> (r.of -> 'apart')
                                            else false end as is_restored
                  from jsonb_array_elements(found) as r (of)
                  left join jsonb_array_elements(kept) as a (of) on a.of -> 'ordinal' = r.of -> 'ordinal'
                 cross join lateral (select coalesce(a.of -> 'names', '[]')) as k (names)
                 cross join lateral (select array(select m.name from jsonb_array_elements_text(r.of -> 'moved') as m (name)
                                                   where not k.names ? m.name)) as n (names)) f
         where f.of ->> 'unlike' <> 'changed' or f.names <> '{}');
end
$$;

-- Refuses an undo that did not restore its rows, or that changed or deleted other rows. Returns remarks about columns that the undo could
-- not restore, because triggers overwrite them.
create or replace function usher.restored(pieces jsonb, done jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    known constant jsonb := usher.found(pieces, 'confine');
    apart constant jsonb := usher.found(pieces, 'apart');
    strays text;
begin
    perform usher.refuse_found(
        usher.found(pieces, 'unrestored', done -> 'overwritten'), 'not_restored', 'usher can''t restore these rows; nothing was changed');
    select string_agg(s.line, E'\n') into strays
      from (select format('%s %s would be %sd', c.value ->> 'table', c.value ->> 'key', c.value ->> 'kind') as line
              from jsonb_array_elements(done -> 'changes') c
             where c.value ->> 'kind' <> 'insert'
               and not exists (select from jsonb_array_elements(known) k
                                where k.value -> 'relation' = c.value -> 'table' and k.value -> 'key' = c.value -> 'key')
             limit 10) s;
    if strays is not null then
        raise exception 'the undo would also change or delete other rows, through foreign keys or triggers; nothing was changed'
              using errcode = 'US003', detail = E'strays\n' || strays;
    end if;
    return (select coalesce(jsonb_agg(jsonb_build_object('left', 'overwritten', 'table', o.relation, 'names', o.names) order by o.relation), '[]')
                  from (select a.of ->> 'table' as relation, string_agg(distinct n.name, ', ' order by n.name) as names
                          from jsonb_array_elements(apart) as a (of)
                         cross join lateral jsonb_array_elements_text(a.of -> 'names') as n (name)
                         group by 1) o);
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
    request jsonb, undone usher.operation, app jsonb, act jsonb, environment text, subjects text[], at timestamptz, left_out bigint,
    changes jsonb, asked usher.operation default null, decisions jsonb default null
) returns void
language plpgsql volatile
as $$
declare
    erased constant bigint := usher.erased_changes(undone.id);
    affected text[] := undone.subjects;
begin
    -- The undo doesn't affect the users of --except.
    if request -> 'except' is not null then
        affected := array(select s.key from unnest(undone.subjects) with ordinality as s (key, place)
                           where not request -> 'except' ? s.key order by s.place);
    end if;
    perform usher.record(
        (request ->> 'id')::uuid, case when request ->> 'parent' is null then 'undo' else 'batch' end,
        case record_undo.left_out when 0 then 'committed' else 'partial' end, 'audit undo',
        undone.app, undone.app_digest, (request ->> 'parent')::uuid, undone.id, undone.root, affected,
        usher.ledger_payload(record_undo.app, act, environment, record_undo.subjects, record_undo.at, '{}', request)
            || usher.undo_progress(request -> 'position', record_undo.left_out + erased)
            || jsonb_build_object('objects', undone.payload -> 'objects', 'asked_by', asked.operator, 'decisions', usher.changed_decisions(record_undo.decisions),
                                  'erased', nullif(erased, 0))
            || case when record_undo.subjects = '{}' then jsonb_build_object('target', undone.id) else '{}' end,
        record_undo.changes, asked.id);
end
$$;

-- The plan of an undo: its steps, its subjects, and up to a hundred skipped changes (`skipped`). A change is skipped if its row changed
-- after the operation and doesn't have its old values. `left_out` is the number of all skipped changes. usher undoes a single operation
-- completely or not at all. For a batch, it skips rows that changed; the preview has the first hundred rows of each table. If `steps` is
-- NULL, there is no row to restore.
create or replace function usher.undo_plan(
    app jsonb, undone usher.operation, is_tolerant boolean, is_dry boolean, besides text[],
    inout subjects text[], out steps jsonb, out skipped jsonb, out left_out bigint
)
language plpgsql volatile
as $$
declare
    chosen integer[];
    unlike integer[];
    since jsonb;
begin
    left_out := 0;
    skipped := '[]';
    if cardinality(besides) > 0 then
        unlike := array(select (f.value ->> 'ordinal')::integer
                          from jsonb_array_elements(usher.found(usher.undo_steps(app, undone.id, null) -> 'pieces', 'of_users', users => besides)) f);
        chosen := array(select c.ordinal from usher.change c
                         where c.operation = undone.id and c.payload is not null and c.ordinal <> all (unlike) order by 1);
        left_out := (select count(*) - cardinality(chosen) from usher.change c where c.operation = undone.id and c.payload is not null);
        subjects := array(select u.key from unnest(subjects) with ordinality as u (key, place)
                           where u.key <> all (besides) order by u.place);
    end if;
    if is_tolerant and is_dry then
        chosen := array(
            select f.ordinal
              from (select c.ordinal, row_number() over (partition by c.payload ->> 'table' order by c.ordinal) as place
                      from usher.change c where c.operation = undone.id and c.payload is not null) f
             where f.place <= 100 order by 1);
        subjects := array(select u.key from unnest(subjects) with ordinality as u (key, place)
                           order by not exists (select from usher.change c, jsonb_each_text(c.payload -> 'key') k
                                                 where c.operation = undone.id and c.ordinal = any (chosen) and k.value = u.key),
                                    u.place limit 100);
    end if;
    steps := usher.undo_steps(app, undone.id, chosen);
    since := usher.changed_since(app, undone, steps);
    if since = '[]' then return; end if;
    skipped := jsonb_path_query_array(since, '$[*] ? (@.restored == false)');
    if not is_tolerant then
        perform usher.refuse_found(skipped, 'changed_since', 'later changes overwrote rows of this operation; nothing was undone');
    end if;
    unlike := array(select (s.value ->> 'ordinal')::integer from jsonb_array_elements(since) s);
    chosen := array(select c.ordinal from usher.change c
                     where c.operation = undone.id and c.payload is not null and (chosen is null or c.ordinal = any (chosen))
                    except select u.ordinal from unnest(unlike) u (ordinal)
                     order by 1);
    left_out := left_out + jsonb_array_length(skipped);
    skipped := jsonb_path_query_array(skipped, '$[0 to 99]');
    steps := case when cardinality(chosen) > 0 then usher.undo_steps(app, undone.id, chosen) end;
end
$$;

-- Undoes an operation row by row, in the first order that constraints allow, and records the undo.
create or replace function usher.undo_rows(
    request jsonb, undone usher.operation, app jsonb, environment text, asked usher.operation, subjects text[], at timestamptz
) returns jsonb
language plpgsql volatile
as $$
declare
    is_tolerant constant boolean := request ->> 'parent' is not null or coalesce((request ->> 'tolerant')::boolean, false);
    act jsonb;
    plan record;
    report jsonb;
begin
    select * into plan
      from usher.undo_plan(
          app, undone, is_tolerant, coalesce((request ->> 'dry')::boolean, false),
          array(select jsonb_array_elements_text(coalesce(request -> 'except', '[]'))), undo_rows.subjects);
    if plan.steps is null then
        return usher.nothing_done(case when is_tolerant then 'refused' else 'nothing' end, plan.skipped);
    end if;
    for act in select a.act from usher.undo_acts(undone, plan.steps) a (act) loop
        -- The undo affects every user of the operation.
        if not is_tolerant then
            act := act || jsonb_build_object('named', format('select unnest(%L::text[])', coalesce(undone.subjects, '{}')));
        end if;
        report := usher.run_action(app, act, plan.subjects, at, '{}', request);
        exit when report ->> 'outcome' <> 'failed' or left(report -> 'error' ->> 'state', 2) <> '23';
    end loop;
    if report ->> 'outcome' = 'done' and report ->> 'changed' is null then
        perform usher.record_undo(
            request, undone, app, act, environment, plan.subjects, at, plan.left_out, report -> 'changes', asked, report -> 'decisions');
    end if;
    return report || jsonb_build_object(
        'remarks', plan.steps -> 'remarks' || coalesce(report -> 'remarks', '[]'), 'left_out', plan.left_out,
        'users', to_jsonb(plan.subjects), 'names', usher.named_users(app, array(select jsonb_array_elements_text(report -> 'users')), at),
        'refused', coalesce(report -> 'refused', '[]') || plan.skipped);
end
$$;

-- Undoes an operation, or a batch of a bulk change. The undo needs the role of the action. The undo of an undo runs the action again, which
-- may need two people. If the records about some users were erased, usher undoes only the changes of the other users.
create or replace function usher.undo_operation(request jsonb, at timestamptz) returns jsonb
language plpgsql volatile
as $$
declare
    is_dry constant boolean := coalesce((request ->> 'dry')::boolean, false);
    undone usher.operation;
    act usher.act;
    app jsonb;
    environment text;
    asked usher.operation;
    subjects text[];
    others text[];
    erased bigint := 0;
    report jsonb;
begin
    select o.* into undone from usher.operation o where o.id = (undo_operation.request ->> 'operation')::uuid;
    perform usher.refuse_irrevocable(undone, request);
    act := usher.act_of(undone);
    app := usher.app_of(undone);
    if undone.erased is not null then
        undone.payload := jsonb_build_object(
            'users', case when act.definition ->> 'subject' = 'users' then to_jsonb(coalesce(undone.subjects, '{}')) end);
        erased := usher.erased_changes(undone.id);
    end if;
    perform usher.refuse_forbidden(usher.role_of(undone), 'audit undo', request ->> 'request');
    environment := usher.environment_for(usher.kind_of_undoing(undone), request ->> 'reason', is_dry);
    perform usher.own_session(app);
    if undone.undoes is not null then perform usher.refuse_alone(act, environment, request, is_dry); end if;
    asked := usher.asked_for(
        request, case when undone.undoes is not null then act end, undone.app, 'audit undo',
        jsonb_build_object('kind', 'undo', 'undoes', undone.id), null, at, '{}', is_dry);
    subjects := usher.keys(undone.payload -> 'users', coalesce(app ->> 'key_type', 'text'));
    -- An earlier undo with --except already restored the rows of other users.
    others := array(select s.key from usher.operation u cross join unnest(u.subjects) s (key)
                     where undo_operation.request ->> 'parent' is null and u.undoes = undone.id and usher.outcome(u.id) = 'partial');
    if cardinality(others) > 0 then
        subjects := array(select s.key from unnest(subjects) with ordinality as s (key, place) where s.key <> all (others) order by s.place);
        undone.subjects := array(select s.key from unnest(undone.subjects) with ordinality as s (key, place)
                                  where s.key <> all (others) order by s.place);
    end if;
    report := usher.take_locks(usher.locks(
        undone.app, app -> 'root', jsonb_build_object('subject', 'object', 'noun', act.definition -> 'noun'),
        array(select jsonb_array_elements_text(coalesce(undone.payload -> 'objects', '[]'))), coalesce(nullif(undone.subjects, '{}'), subjects)));
    if report is not null then return report; end if;
    if request ->> 'parent' is not null and not is_dry then
        report := usher.undo_at_once(request, undone, app, environment, subjects, at);
        -- The failed statement is rolled back, but the server still counts its rows.
        if report is null then request := request || jsonb_build_object('guarded', usher.guarded()); end if;
    end if;
    report := coalesce(report, usher.undo_rows(request, undone, app, environment, asked, subjects, at))
        || jsonb_build_object('environment', environment, 'now', at::text);
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
    report := usher.undo_operation(
        request - array['parent', 'position'] || jsonb_build_object('guarded', guarded), usher.instant(request ->> 'now'));
    if report ->> 'outcome' <> 'done' then perform usher.refuse_beside(guarded); end if;
    return report;
end
$$;
