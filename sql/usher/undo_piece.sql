-- Changes of one kind to the same columns of one table, to be taken back by one statement: the statement, what puts right what
-- triggers of other tables make of these rows meanwhile, rows that are not as the operation left them, rows that are not as
-- they were before although the statements ran, and the names of all of them. `chosen` are the changes that it is about, all
-- where it is NULL.
create or replace function usher.undo_piece(shape jsonb, operation uuid, kind text, columns text[], chosen integer[]) returns jsonb
language plpgsql stable
as $$
declare
    name constant text := shape ->> 'name';
    relation constant text := shape ->> 'sql';
    same constant text := (select string_agg(format('t.%1$s = k.%1$s', c.value ->> 'sql'), ' and ')
                             from jsonb_array_elements(shape -> 'columns') c where (c.value ->> 'in_key')::boolean);
    -- The changes as rows of SQL: c the change, k its key, typed as the table's columns are.
    changes constant text := format('usher.change c cross join lateral jsonb_populate_record(null::%s, c.payload -> ''key'') k', relation);
    -- A partitioned table is its partitions.
    target constant text := case when (shape ->> 'partitioned')::boolean then '' else 'only ' end || relation;
    before constant text := format('cross join lateral jsonb_populate_record(null::%s, c.payload -> ''before'') b', relation);
    -- Which row it is, in facts.
    which constant text := format(
        'jsonb_build_object(''table'', %L, ''of'', (select jsonb_agg(e.value) from jsonb_each_text(c.payload -> ''key'') e))', name);
    versions constant text := 'returning t.tableoid::pg_catalog.text, t.ctid::text';
    -- The key of a row that is there is not NULL.
    missing constant text := (select format('t.%s is null', min(c.value ->> 'sql'))
                                from jsonb_array_elements(shape -> 'columns') c where (c.value ->> 'in_key')::boolean);
    keys constant text := (select string_agg('k.' || (c.value ->> 'sql'), ', ')
                             from jsonb_array_elements(shape -> 'columns') c where (c.value ->> 'in_key')::boolean);
    -- What is written is made in a select of its own: a statement that writes may call nothing where Citus keeps the rows.
    made constant text := '(select %s%s from %s %s where %s) k';
    ours text;
    stored text;
    compared text;
    different text;
    replaced text;
    list text;
    amounts text;
    made_amounts text;
    since text;
    restored text;
    statement text;
    correction text;
    unlike text;
    wrong text;
begin
    ours := format('c.operation = %L::uuid and c.payload ->> ''table'' = %L and ', operation, name)
        || case when chosen is null then '' else format('c.ordinal = any (%L::integer[]) and ', chosen) end || case undo_piece.kind
        when 'insert' then 'jsonb_typeof(c.payload -> ''before'') is distinct from ''object'''
        when 'delete' then 'jsonb_typeof(c.payload -> ''after'') is distinct from ''object'''
        else format('jsonb_typeof(c.payload -> ''before'') = ''object'' and jsonb_typeof(c.payload -> ''after'') = ''object''
                     and array(select e.name from jsonb_object_keys(c.payload -> ''before'') e (name)
                                where not coalesce(c.payload -> ''rewritten'', ''[]'') ? e.name order by e.name) = %L::text[]', columns)
        end;
    -- The rows as they are, by key where Citus keeps them: beside a table of this server it would fetch all there are.
    stored := case when (shape ->> 'distributed')::boolean then
        (select format('(select t.* from %s t where %s offset 0)', relation, string_agg(
                    format('t.%1$s = any (array(select k.%1$s from %2$s where %3$s))', c.value ->> 'sql', changes, ours), ' and '))
           from jsonb_array_elements(shape -> 'columns') c where (c.value ->> 'in_key')::boolean)
        else relation end;
    -- The row of a change as it is, t, and its image, which is made once for all of its columns.
    compared := format('%s t on %s cross join lateral (select %s as image offset 0) now', stored, same, usher.image(shape));
    -- Whether a column that the operation wrote is not as it was before.
    different :=
        'exists (select from jsonb_each(c.payload -> ''before'') e (name, value)
                  where not coalesce(c.payload -> ''rewritten'', ''[]'') ? e.name
                    and (now.image -> e.name)::text is distinct from e.value::text)';
    -- Whether the operation itself put another row with the same key in the place of this one, or the reverse.
    replaced := format(
        'exists (select from usher.change o
                  where o.operation = c.operation and o.ordinal <> c.ordinal and o.payload ->> ''table'' = %L
                    and o.payload -> ''key'' = c.payload -> ''key'')', name);
    select string_agg(c.value ->> 'sql', ', ' order by c.place),
           string_agg(case undo_piece.kind when 'delete' then v.amount else format('%s as %I', v.amount, 'usher ' || c.place) end, ', ' order by c.place),
           string_agg(format('k.%I', 'usher ' || c.place), ', ' order by c.place)
      into list, amounts, made_amounts
      from jsonb_array_elements(shape -> 'columns') with ordinality as c (value, place),
           lateral (select usher.recorded_value(c.value, 'c.payload -> ''before''', 'b') as amount) v
     where not (c.value ->> 'generated')::boolean
       and (undo_piece.kind = 'delete' or c.value ->> 'name' = any (undo_piece.columns));
    if undo_piece.kind = 'insert' then
        statement := format('delete from %s t using %s where %s', target, format(made, keys, '', changes, '', ours), same);
        unlike := format('case when %s then jsonb_build_object(''unlike'', ''gone'')
                        when difference.names <> '''' then jsonb_build_object(''unlike'', ''changed'', ''names'', difference.names) end', missing);
        wrong := format('not %s and not %s', missing, replaced);
    elsif undo_piece.kind = 'update' then
        statement := format('update %s t set (%s) = row(%s) from %s where %s', target, list, made_amounts,
                            format(made, keys, ', ' || amounts, changes, before, ours), same);
        correction := format('update %s t set (%s) = row(%s) from %s where %s', target, list, made_amounts,
                             format(made, keys, ', ' || amounts, changes, format('%s join %s', before, compared),
                                    ours || ' and ' || different), same);
        unlike := format('case when %s then jsonb_build_object(''unlike'', ''gone'')
                        when difference.names <> '''' then jsonb_build_object(''unlike'', ''changed'', ''names'', difference.names) end', missing);
        wrong := missing || ' or ' || different;
    else
        statement := format('insert into %s as t (%s) overriding system value select %s from %s %s where %s',
                            relation, list, amounts, changes, before, ours);
        unlike := format('case when not %s and not %s then jsonb_build_object(''unlike'', ''back'') end', missing, replaced);
        wrong := missing || case when (shape ->> 'insert_triggered')::boolean then '' else ' or ' || different end;
    end if;
    restored := case undo_piece.kind when 'update' then format('not %s and not %s', missing, different)
                                     when 'insert' then missing else 'false' end;
    since := format(
        'select s.ordinal, s.key, s.unlike || s.which as unlike, s.restored
           from (select c.ordinal, %L || '' '' || (c.payload ->> ''key'') as key, %s as which, %s as unlike, %s as restored
                   from %s left join %s
                  cross join lateral (
                        select string_agg(e.name, '', '' order by e.name) as names
                          from jsonb_each(case jsonb_typeof(c.payload -> ''after'') when ''object'' then c.payload -> ''after'' end) e (name, value)
                         where not coalesce(c.payload -> ''rewritten'', ''[]'') ? e.name
                           and (now.image -> e.name)::text is distinct from e.value::text) difference
                  where %s) s
          where s.unlike is not null', name, which, unlike, restored, changes, compared, ours);
    return jsonb_build_object(
        'oid', shape ->> 'oid', 'kind', undo_piece.kind,
        'step', jsonb_build_object(
            'summary', format(case undo_piece.kind when 'insert' then 'removing what was inserted into %s'
                                                   when 'update' then 'putting back %s'
                                                   else 'inserting again what was deleted from %s' end, name),
            'sql', statement, 'returning', versions, 'alias', 't', 'counted', 0,
            'targets', jsonb_build_array(jsonb_build_object(
                'schema', shape -> 'schema', 'name', shape -> 'relation', 'heirs', false,
                'assigned', case undo_piece.kind when 'insert' then null when 'update' then to_jsonb(columns) else '[]' end))),
        'correction', correction,
        'since', since,
        'obstacle', format('select s.key, s.unlike from (%s) s order by 1 limit 11', since),
        'verification', format(
            'select %L || '' '' || (c.payload ->> ''key'') as key, jsonb_build_object(''unlike'', ''other'') || %s as unlike
               from %s left join %s where %s and (%s) order by 1 limit 11',
            name, which, changes, compared, ours, wrong),
        'confine', format('select c.payload -> ''table'', c.payload -> ''key'' from usher.change c where %s', ours));
end
$$;
