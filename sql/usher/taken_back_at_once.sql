-- Takes a part of many back by one statement, and takes that down; NULL where the thorough way has to, and nothing is done.
-- What the operation changed is a list of keys: to look them up one by one costs the same however many others there are. Rows
-- that are not as the operation left them stay as they are, and are said.
create or replace function usher.taken_back_at_once(
    request jsonb, undone usher.operation, app jsonb, environment text, subjects text[], at timestamptz
) returns jsonb
language plpgsql volatile
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set random_page_cost = 1.1
set max_parallel_workers_per_gather = 0 set work_mem = '32MB'
as $$
declare
    -- The first ones tell what all of them are like; that they are is asked of each.
    seen constant jsonb[] := array(select c.payload from usher.change c where c.operation = undone.id and c.payload is not null order by c.ordinal limit 100);
    secrets constant text[] := array(select jsonb_array_elements_text(app -> 'secrets'));
    named constant text[] := (select array_agg(distinct s.change ->> 'table') from unnest(seen) s (change));
    shape jsonb;
    columns jsonb;
    rewritten jsonb;
    watched jsonb;
    usual jsonb;
    targets jsonb;
    relations jsonb;
    done jsonb;
    refused jsonb := '[]';
begin
    if cardinality(named) <> 1 or undone.id is null then return null; end if;
    select usher.shape(c.oid, secrets) into shape
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname || '.' || c.relname = named[1] and c.relkind in ('r', 'p');
    if shape is null or not usher.has_key(shape) or (shape ->> 'distributed')::boolean
       or jsonb_path_exists(shape, '$.columns[*] ? (@.form == "name")') then
        return null;
    end if;
    select jsonb_agg(k.of) filter (where k.is_rewritten), jsonb_agg(k.of) filter (where k.is_written and not k.is_rewritten),
           jsonb_agg(k.of) filter (where not k.is_rewritten and not k.is_written and not (k.of ->> 'in_key')::boolean)
      into rewritten, columns, watched
      from (select c.of, exists (select from unnest(seen) s (change) where s.change -> 'rewritten' ? (c.of ->> 'name')) as is_rewritten,
                   exists (select from unnest(seen) s (change) where s.change -> 'before' ? (c.of ->> 'name')) as is_written
              from jsonb_array_elements(shape -> 'columns') c (of)) k;
    if columns is null or jsonb_path_exists(columns, '$[*] ? (@.in_key == true || @.secret == true || @.generated == true)')
       or jsonb_path_exists(rewritten, '$[*] ? (@.in_key == true || @.secret == true)') then
        return null;
    end if;
    if not (shape ->> 'triggered')::boolean and not jsonb_path_exists(shape, '$.columns[*] ? (@.generated == true)') then
        watched := null;
    end if;
    -- What changed in one row changes in most.
    usual := coalesce((select jsonb_agg(k.name) from jsonb_object_keys(coalesce(nullif(seen[1] -> 'before', 'null'), '{}')) k (name)), '[]');
    targets := jsonb_build_array(jsonb_build_object(
        'schema', shape -> 'schema', 'name', shape -> 'relation', 'heirs', (shape ->> 'partitioned')::boolean));
    relations := usher.written(targets);
    perform usher.refuse_obstacle(r.value ->> 'obstacle', r.value ->> 'place') from jsonb_each(relations) r;
    perform usher.refuse_hidden(targets);
    if exists (select from jsonb_each(relations) r
                where (r.value ->> 'is_diverted')::boolean or r.value -> 'tables' <> jsonb_build_array(shape -> 'oid')) then
        return null;
    end if;
    begin
        done := usher.counted_at_once(
            app, shape ->> 'oid', usher.restore_statement(shape, columns, coalesce(rewritten, '[]'), watched, usual), at, subjects, '{}',
            (request ->> 'id')::uuid, undone.id);
        -- What a trigger kept from being put back, or what has another form, is for the thorough way to tell.
        if done -> 'written' <> done -> 'found' or done ->> 'unlike' <> '0' or '0' in (done ->> 'written', done ->> 'changed') then raise sqlstate 'UA006'; end if;
        if done -> 'since' <> '[]' then
            refused := usher.changed_since(usher.undo_steps(
                app, undone.id, array(select s.value::integer from jsonb_array_elements_text(done -> 'since') s limit 100)));
        end if;
        perform usher.enter_undo(
            request || jsonb_build_object('position', request -> 'position' || usher.answered(app, '{}')), undone, app, jsonb_build_object('command', 'audit undo', 'subject', 'users'), environment, subjects, at,
            jsonb_array_length(done -> 'since'), '[]');
    exception
        when sqlstate 'UA006' then return null;
        when others then
        -- The thorough way finds out of whom it is about, and says it in full.
        if usher.is_passing(sqlstate) then raise; end if;
        return null;
    end;
    return jsonb_build_object(
        'outcome', 'done', 'subjects', '[]'::jsonb, 'warnings', '[]'::jsonb, 'impacts', '[]'::jsonb, 'changed', done -> 'changed',
        'left_out', jsonb_array_length(done -> 'since'), 'refused', usher.left_out(refused));
end
$$;
