-- Changes of one kind to the same columns of one table, to be undone by one statement: the statement, what corrects these rows
-- where triggers of other tables changed them meanwhile, and questions about the rows: which of them changed since, which columns
-- are not as they were before (`apart`), which rows the statements did not restore, and the keys of all of them. `chosen` are the
-- changes that it is about, all where it is NULL.
--
-- Every changed column is set back. One that a trigger overwrites shows by doing, and is no matter of the corrections and of what
-- must be restored: $3 has the names of these, by table.
create or replace function usher.undo_piece(shape jsonb, operation uuid, kind text, columns text[], chosen integer[]) returns jsonb
language plpgsql stable
as $$
declare
    name constant text := shape ->> 'name';
    relation constant text := shape ->> 'sql';
    is_distributed constant boolean := (shape ->> 'distributed')::boolean;
    same constant text := (select string_agg(format('t.%1$s = k.%1$s', c.value ->> 'sql'), ' and ')
                             from jsonb_array_elements(shape -> 'columns') c where (c.value ->> 'in_key')::boolean);
    -- The changes as rows of SQL: c the change, k its key, typed as the table's columns are.
    changes constant text := format('usher.change c cross join lateral jsonb_populate_record(null::%s, c.payload -> ''key'') k', relation);
    -- A partitioned table is its partitions.
    target constant text := case when (shape ->> 'partitioned')::boolean then '' else 'only ' end || relation;
    before constant text := format('cross join lateral jsonb_populate_record(null::%s, c.payload -> ''before'') b', relation);
    -- Which row it is, in facts.
    which constant text := format(
        '%1$L || '' '' || (c.payload ->> ''key'') as key, %1$L as "table", array(select e.value from jsonb_each_text(c.payload -> ''key'') e) as "of"', name);
    versions constant text := 'returning t.tableoid::pg_catalog.text, t.ctid::text';
    -- The key of a row that is there is not NULL.
    missing constant text := (select format('t.%s is null', min(c.value ->> 'sql'))
                                from jsonb_array_elements(shape -> 'columns') c where (c.value ->> 'in_key')::boolean);
    keys constant text := (select string_agg('k.' || (c.value ->> 'sql'), ', ')
                             from jsonb_array_elements(shape -> 'columns') c where (c.value ->> 'in_key')::boolean);
    -- What is written is made in a select of its own: a statement that writes may call nothing where Citus keeps the rows.
    made constant text := '(select %s%s from %s %s where %s) k';
    -- The names of columns in which a row is not as an image of the change has it.
    unlike constant text := 'array(select e.name from jsonb_each(case jsonb_typeof(c.payload -> %1$L) when ''object'' then c.payload -> %1$L end) e (name, value)
                                    where (now.image -> e.name)::text is distinct from e.value::text order by 1)';
    -- Whether a column is not as it was before that no trigger overwrites.
    different constant text := format(
        'exists (select from jsonb_each(c.payload -> ''before'') e (name, value)
                  where (now.image -> e.name)::text is distinct from e.value::text and not coalesce($3 -> %L, ''[]'') ? e.name)', name);
    -- Whether the operation itself put another row with the same key in the place of this one, or the reverse.
    replaced constant text := format(
        'exists (select from usher.change o
                  where o.operation = c.operation and o.ordinal <> c.ordinal and o.payload ->> ''table'' = %L
                    and o.payload -> ''key'' = c.payload -> ''key'')', name);
    ours text;
    stored text;
    compared text;
    list text;
    amounts text;
    made_amounts text;
    statement text;
    correction text;
    apart text;
    since text;
    wrong text;
begin
    ours := format('c.operation = %L::uuid and c.payload ->> ''table'' = %L and ', operation, name)
        || case when chosen is null then '' else format('c.ordinal = any (%L::integer[]) and ', chosen) end || case undo_piece.kind
        when 'insert' then 'jsonb_typeof(c.payload -> ''before'') is distinct from ''object'''
        when 'delete' then 'jsonb_typeof(c.payload -> ''after'') is distinct from ''object'''
        else format('jsonb_typeof(c.payload -> ''before'') = ''object'' and jsonb_typeof(c.payload -> ''after'') = ''object''
                     and array(select e.name from jsonb_object_keys(c.payload -> ''before'') e (name) order by e.name) = %L::text[]', columns)
        end;
    -- The rows as they are, by key where Citus keeps them: beside a table of this server it would fetch all there are.
    stored := case when is_distributed then
        (select format('(select t.* from %s t where %s offset 0)', relation, string_agg(
                    format('t.%1$s = any (array(select k.%1$s from %2$s where %3$s))', c.value ->> 'sql', changes, ours), ' and '))
           from jsonb_array_elements(shape -> 'columns') c where (c.value ->> 'in_key')::boolean)
        else relation end;
    -- The row of a change as it is, t, and its image, which is made once for all of its columns.
    compared := format('%s t on %s cross join lateral (select %s as image offset 0) now', stored, same, usher.image(shape));
    select string_agg(c.value ->> 'sql', ', ' order by c.place),
           string_agg(case undo_piece.kind when 'delete' then v.amount else format('%s as %I', v.amount, 'usher ' || c.place) end, ', ' order by c.place),
           string_agg(format('k.%I', 'usher ' || c.place), ', ' order by c.place)
      into list, amounts, made_amounts
      from jsonb_array_elements(shape -> 'columns') with ordinality as c (value, place),
           lateral (select usher.recorded_value(c.value, 'c.payload -> ''before''', 'b') as amount) v
     where case undo_piece.kind when 'delete' then not (c.value ->> 'generated')::boolean
                                else (c.value ->> 'settable')::boolean and c.value ->> 'name' = any (undo_piece.columns) end;
    if undo_piece.kind = 'insert' then
        statement := format('delete from %s t using %s where %s', target, format(made, keys, '', changes, '', ours), same);
        wrong := format('not %s and not %s', missing, replaced);
    elsif undo_piece.kind = 'update' then
        statement := format('update %s t set (%s) = row(%s) from %s where %s', target, list, made_amounts,
                            format(made, keys, ', ' || amounts, changes, before, ours), same);
        correction := format('update %s t set (%s) = row(%s) from %s where %s', target, list, made_amounts,
                             format(made, keys, ', ' || amounts, changes, format('%s join %s', before, compared),
                                    ours || ' and ' || different), same);
        -- A row that a trigger kept as it was is not written.
        wrong := missing || case when is_distributed then '' else format(' or not (%s)', usher.is_of_own(shape, 't.xmin', 'in progress')) end
                 || ' or ' || different;
    else
        statement := format('insert into %s as t (%s) overriding system value select %s from %s %s where %s',
                            relation, list, amounts, changes, before, ours);
        wrong := missing || ' or ' || different;
    end if;
    if undo_piece.kind <> 'insert' then
        apart := format(
            'select c.ordinal, %L as "table", a.names, a.total
               from %s join %s
              cross join lateral (select %s as names, (select count(*) from jsonb_object_keys(c.payload -> ''before'')) as total) a
              where %s and a.names <> ''{}''', name, changes, compared, format(unlike, 'before'), ours);
    end if;
    since := format(
        'select s.*
           from (select c.ordinal, %s, %L as kind, %s as unlike, m.moved, %s as apart
                   from %s left join %s cross join lateral (select %s as moved) m
                  where %s) s
          where s.unlike is not null', which, undo_piece.kind, case undo_piece.kind
              when 'delete' then format('case when not %s and not %s then ''back'' end', missing, replaced)
              else format('case when %s then ''gone'' when m.moved <> ''{}'' then ''changed'' end', missing) end,
        format(unlike, 'before'), changes, compared, format(unlike, 'after'), ours);
    return jsonb_build_object(
        'oid', shape ->> 'oid', 'table', name, 'kind', undo_piece.kind,
        'step', jsonb_build_object(
            'summary', format(case undo_piece.kind when 'insert' then 'removing what was inserted into %s'
                                                   when 'update' then 'putting back %s'
                                                   else 'inserting again what was deleted from %s' end, name),
            'sql', statement, 'returning', versions, 'alias', 't', 'counted', 0,
            'targets', jsonb_build_array(jsonb_build_object(
                'schema', shape -> 'schema', 'name', shape -> 'relation', 'heirs', false,
                'verb', case undo_piece.kind when 'insert' then 'delete' when 'delete' then 'insert' else 'update' end))),
        'correction', correction,
        'since', since,
        'apart', apart,
        'unrestored', format(
            'select %s, ''other'' as unlike from %s left join %s%s where %s and (%s) order by 1 limit 11',
            which, changes, compared, usher.own_transaction(shape), ours, wrong),
        'confine', format('select c.payload -> ''table'' as relation, c.payload -> ''key'' as key from usher.change c where %s', ours));
end
$$;
