-- Takes a part of many back by one statement, and takes that down; NULL where the thorough way has to, and nothing is done.
-- What the operation changed is a list of keys: to look them up one by one costs the same however many others there are. Rows
-- that changed since stay as they are, and are said: where the statement finds some, it is run again without them.
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
    changed jsonb;
    usual jsonb;
    targets jsonb;
    relations jsonb;
    done jsonb;
    skipped jsonb := '{}';
    since jsonb := '[]';
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
    select jsonb_agg(c.of) into changed
      from jsonb_array_elements(shape -> 'columns') c (of)
     where exists (select from unnest(seen) s (change) where s.change -> 'before' ? (c.of ->> 'name'));
    if changed is null or not jsonb_path_exists(changed, '$[*] ? (@.settable == true)')
       or jsonb_path_exists(changed, '$[*] ? (@.in_key == true || @.secret == true)') then
        return null;
    end if;
    -- What changed in one row changes in most.
    usual := coalesce((select jsonb_agg(k.name) from jsonb_object_keys(coalesce(nullif(seen[1] -> 'before', 'null'), '{}')) k (name)), '[]');
    targets := jsonb_build_array(jsonb_build_object(
        'schema', shape -> 'schema', 'name', shape -> 'relation', 'heirs', (shape ->> 'partitioned')::boolean, 'verb', 'update'));
    relations := usher.written(targets);
    perform usher.refuse_obstacle(r.value ->> 'obstacle', r.value ->> 'place') from jsonb_each(relations) r;
    perform usher.refuse_hidden(targets);
    if exists (select from jsonb_each(relations) r
                where (r.value ->> 'is_diverted')::boolean or r.value -> 'tables' <> jsonb_build_array(shape -> 'oid')) then
        return null;
    end if;
    begin
        loop
            begin
                done := usher.counted_at_once(
                    app, shape ->> 'oid', usher.restore_statement(shape, changed, usual), at, subjects, skipped, (request ->> 'id')::uuid, undone.id);
                exit when done -> 'since' = '[]' and done -> 'restored' = '[]';
                if skipped <> '{}' then raise sqlstate 'UA006'; end if;
                raise sqlstate 'UA001';
            exception when sqlstate 'UA001' then
                since := done -> 'since';
                skipped := (select jsonb_object_agg(s.ordinal, true) from jsonb_array_elements_text(since || (done -> 'restored')) s (ordinal));
            end;
        end loop;
        -- A row that a trigger kept as it is, or a change of another form, is for the thorough way to tell.
        if done -> 'written' <> done -> 'found' or done ->> 'unlike' <> '0' or '0' in (done ->> 'set', done ->> 'changed') then raise sqlstate 'UA006'; end if;
        since := since || (done -> 'gone');
        if since <> '[]' then
            refused := usher.changed_since(app, undone, usher.undo_steps(
                app, undone.id, array(select s.value::integer from jsonb_array_elements_text(since) s limit 100)));
        end if;
        perform usher.enter_undo(
            request || jsonb_build_object('position', request -> 'position' || usher.answered(app, '{}')), undone, app, jsonb_build_object('command', 'audit undo', 'subject', 'users'), environment, subjects, at,
            jsonb_array_length(since), '[]');
    exception
        when sqlstate 'UA006' then return null;
        when others then
        -- The thorough way finds out of whom it is about, and says it in full.
        if usher.is_passing(sqlstate) then raise; end if;
        return null;
    end;
    return jsonb_build_object(
        'outcome', 'done', 'subjects', '[]'::jsonb, 'warnings', '[]'::jsonb, 'impacts', '[]'::jsonb, 'changed', done -> 'changed',
        'left_out', jsonb_array_length(since), 'refused', usher.left_out(refused),
        'remarks', case when done ->> 'apart' = '' then '[]'
                        else jsonb_build_array(jsonb_build_object('left', 'overwritten', 'table', shape -> 'name', 'names', done -> 'apart')) end);
end
$$;
