-- The functions that compare rows before and after a change, and find every row that the server counted.
--
-- An image is a row as JSON. A shape describes a table (see the type `shape`). A pass is the result of one run of the statements (see `run_pass`).

-- The differences between the rows before and after a change. The function compares values as text, so that it also finds a change from 1.1
-- to 1.10. For secrets, the result has only the column names. If the action deleted a row and inserted another one with the same key, the
-- result has two changes. An update that changed neither the key nor the columns with the row's users has these columns as `users`, except
-- secrets. The member `whose` has the values of these columns before and after, including secrets; the caller removes it.
create or replace function usher.differences(shape usher.shape, before jsonb, after jsonb, are_replaced boolean) returns jsonb
language sql stable
as $$
    with b as (select e.value -> 'k' as k, e.value -> 'i' as image, e.value -> 'u' as users from jsonb_array_elements(differences.before) e),
         a as (select e.value -> 'k' as k, e.value -> 'i' as image, e.value -> 'u' as users from jsonb_array_elements(differences.after) e),
         c as (select c.* from unnest(shape.columns) c)
    select coalesce(jsonb_agg(
               jsonb_build_object(
                   'kind', w.kind, 'table', shape.name, 'key', coalesce(diff.key, '{}'),
                   'before', case when w.kind <> 'insert' then coalesce(diff.before, '{}') end,
                   'after', case when w.kind <> 'delete' then coalesce(diff.after, '{}') end,
                   'users', diff.users, 'columns', diff.columns, 'secrets', diff.secrets)
               || case when shape.is_user is null then '{}' else jsonb_build_object('whose', jsonb_build_object(
                      'table', shape.oid, 'is_user', shape.is_user, 'key', k,
                      'before', case when w.kind <> 'insert' then b.users end, 'after', case when w.kind <> 'delete' then a.users end)) end
               order by array(select jsonb_array_elements_text(k)), w.kind), '[]')
      from b full join a using (k)
     cross join lateral unnest(case when b.image is null then '{insert}' when a.image is null then '{delete}'
                                    when are_replaced then '{delete,insert}' else '{update}' end::text[]) as w (kind)
     cross join lateral (
           select jsonb_object_agg(e.name, coalesce(e.after, e.before)) filter (where e.in_key) as key,
                  jsonb_object_agg(e.name, e.before) filter (where e.is_shown) as before,
                  jsonb_object_agg(e.name, e.after) filter (where e.is_shown) as after,
                  jsonb_object_agg(e.name, e.after) filter (where e.is_owner and not e.is_shown and not e.in_key) as users,
                  coalesce(jsonb_agg(jsonb_build_array(e.name, e.type_oid, e.before #>> '{}', e.after #>> '{}') order by e.place)
                             filter (where e.is_shown), '[]') as columns,
                  coalesce(jsonb_agg(e.name order by e.place) filter (where e.is_other and e.is_secret), '[]') as secrets
             from (select c.*, v.before, v.after, c.name = any (shape.users) and not c.is_secret as is_owner,
                          o.is_other, o.is_other and not c.is_secret as is_shown
                     from c
                    cross join lateral (select case when w.kind <> 'insert' then b.image -> c.name end as before,
                                               case when w.kind <> 'delete' then a.image -> c.name end as after) v
                    cross join lateral (select w.kind <> 'update' or v.before::text is distinct from v.after::text as is_other) o) e) diff
     where a.image::text is distinct from b.image::text
$$;

-- The rows that this transaction inserted into a table without a key, with their numbers as keys (see `images`). If `places` has row
-- addresses (ctid), returns only the rows at these addresses.
create or replace function usher.new_rows(shape usher.shape, places jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    found jsonb;
begin
    execute format(
        'select coalesce(jsonb_agg(jsonb_build_object(''k'', jsonb_build_array(r.number), ''i'', r.image, ''u'', r.users)), ''[]'')
           from (select row_number() over () as number, %s as image, %s as users from %s t where %s) r',
        shape.image, usher.row_users(shape), shape.sql,
        case when places is null or shape.is_distributed
             then '$1 is null and ' || usher.is_of_own(shape, 't.xmin', 'in progress')
             else 't.ctid = any (array(select p.place::tid from jsonb_array_elements_text($1) p (place)))' end)
       into found using new_rows.places;
    return found;
end
$$;

-- Reads the old values (images) of the rows that a run of the statements (`pass`) wrote, by table; the run was rolled back. `known` has the
-- keys that the rows had at the end of the run. The function finds deleted rows, and rows whose key changed, by row addresses or by the
-- rolled-back transaction id in xmax.
create or replace function usher.images_before(shapes usher.shape[], pass jsonb, known jsonb, salt text) returns jsonb
language plpgsql volatile
as $$
declare
    entry record;
    own jsonb;
    gone jsonb;
    found jsonb;
    -- True if the statements changed the keys of some rows, or also inserted rows.
    has_moved boolean;
    images jsonb := '{}';
begin
    for entry in
        select c.key as oid, (c.value ->> 1)::bigint as updated, (c.value ->> 2)::bigint as deleted, s as shape
          from jsonb_each(images_before.pass -> 'counts') c join unnest(shapes) s on s.oid::text = c.key
         where s.key is not null
    loop
        own := known -> entry.oid;
        found := usher.images(entry.shape, own, salt);
        has_moved := entry.updated > 0 and jsonb_array_length(found) < (select count(distinct k.value) from jsonb_array_elements(own) k);
        if has_moved or entry.deleted > 0 then
            gone := case when images_before.pass -> 'told_all' ? entry.oid and not has_moved
                         then usher.row_keys(entry.shape, 'places', images_before.pass -> 'places' -> entry.oid) end;
            -- If a row was updated before it was deleted, its address is unknown.
            if gone is null or entry.updated > 0 and jsonb_array_length(gone) < entry.deleted then
                gone := usher.row_keys(entry.shape, 'rolled back', null);
            end if;
            found := usher.images(entry.shape, own || gone, salt);
        end if;
        images := images || jsonb_build_object(entry.oid, found);
    end loop;
    return images;
end
$$;

-- Compares the rows that a run of the statements (`pass`) wrote with their old values (`images`), and returns the changes. Refuses the
-- action if usher doesn't find every row that the server counted.
create or replace function usher.compare(shapes usher.shape[], pass jsonb, images jsonb, salt text) returns jsonb
language plpgsql volatile
as $$
declare
    written constant jsonb := usher.written_keys(shapes, pass);
    entry record;
    keys jsonb;
    after jsonb;
    own jsonb;
    inserted bigint;
    deleted bigint;
    found jsonb := '[]';
begin
    for entry in
        select c.key as oid, c.value as counts, s as shape, coalesce(images -> c.key, '[]') as before
          from jsonb_each(compare.pass -> 'counts') c join unnest(shapes) s on s.oid::text = c.key
         order by s.name
    loop
        if (entry.shape).key is null then
            -- In a table without a key, usher can identify only new rows.
            if entry.counts ->> 1 <> '0' or entry.counts ->> 2 <> '0' then
                raise exception 'this action changes rows of %, which has no primary key', (entry.shape).name
                      using errcode = 'US003', detail = 'keyless',
                            hint = 'add a primary key to the table; without one usher can''t show or undo a change';
            end if;
            after := usher.new_rows(entry.shape, case when compare.pass -> 'told_all' ? entry.oid then compare.pass -> 'places' -> entry.oid end);
        else
            keys := jsonb_path_query_array(entry.before, '$[*].k') || (written -> entry.oid);
            after := usher.images(entry.shape, keys, salt);
        end if;
        own := usher.differences(
            entry.shape, entry.before, after, (entry.counts ->> 0)::bigint > 0 and (entry.counts ->> 2)::bigint > 0 and entry.counts ->> 1 = '0');
        -- The server counts a row that was inserted and deleted again in both numbers, so only their difference must match.
        select count(*) filter (where o.value ->> 'kind' = 'insert'), count(*) filter (where o.value ->> 'kind' = 'delete')
          into inserted, deleted
          from jsonb_array_elements(own) o;
        if inserted - deleted <> (entry.counts ->> 0)::bigint - (entry.counts ->> 2)::bigint
           or entry.counts ->> 1 <> '0' and jsonb_array_length(keys) = 0 then
            raise exception 'usher didn''t find every changed row of %, so it rolled the change back', (entry.shape).name
                  using errcode = 'US003', detail = 'unaccounted',
                        hint = format(
                            'the server counted %s inserted, %s updated and %s deleted rows, but usher found %s new and %s missing rows',
                            entry.counts ->> 0, entry.counts ->> 1, entry.counts ->> 2, inserted, deleted);
        end if;
        found := found || own;
    end loop;
    return found;
end
$$;

-- Runs the statements of an action and returns every changed row, including rows that triggers and cascades changed.
--
-- usher first runs the statements to find the changed tables and rows, and rolls back. Then it reads the old rows, runs the statements
-- again, and compares. The changed tables are the tables whose counters increased. The statements return the rows that they wrote; if the
-- server counted more rows, usher finds these by the transaction id in xmin or xmax. If usher doesn't find a counted row, the action fails.
--
-- If the server rejects the changes of some subjects, returns only their errors (`objections`). If the server rejects all subjects, the
-- function raises the error, unless `is_tolerant`.
create or replace function usher.changes(
    app jsonb, act usher.action, relations jsonb, keys text[], at timestamptz, arguments jsonb, is_tolerant boolean
) returns jsonb
language plpgsql volatile
as $$
declare
    -- usher compares salted digests of secrets to find changed secrets. It doesn't store the salt.
    salt constant text := gen_random_uuid()::text;
    deferred constant text := usher.deferrable(true);
    learned jsonb;
    shapes usher.shape[];
    -- The keys of the rows that the first run wrote, and the keys that its statements returned (see `told_keys`).
    known jsonb;
    told jsonb;
    done jsonb;
    images jsonb;
    error text;
    objections jsonb := '[]';
begin
    begin
        learned := usher.run_pass(app, act, relations, deferred, changes.keys, at, arguments);
        shapes := usher.shapes(app, act, learned);
        known := usher.written_keys(shapes, learned);
        told := usher.told_keys(act, relations, shapes, learned, '{}');
        raise sqlstate 'UA001';
    exception when sqlstate 'UA001' then null;
    end;
    perform usher.refuse_uncounted(relations, learned);
    -- The counters include statements that failed for single subjects, so the counts can't match. The caller repeats the action
    -- without these subjects.
    if jsonb_path_exists(learned -> 'objections', '$[*].error') then return learned; end if;
    perform usher.refuse_unlimited_steps(app, act, relations, deferred, changes.keys, at, arguments, learned -> 'counts', known);
    told := usher.told_keys(act, relations, shapes, learned, told);
    images := usher.images_before(shapes, learned, known, salt);
    done := usher.run_pass(app, act, relations, deferred, changes.keys, at, arguments);
    perform usher.refuse_uncounted(relations, done);
    -- Temporary tables are not compared, because each run may create them again.
    if exists (select from unnest(shapes) s where not done -> 'counts' ? s.oid::text)
       or exists (select from jsonb_object_keys(done -> 'counts') k (oid) join pg_class c on c.oid = k.oid::oid
                   where c.relpersistence <> 't' and not exists (select from unnest(shapes) s where s.oid = c.oid)) then
        raise exception 'usher ran the statements twice, and they changed different tables each time; usher rolled the change back'
              using errcode = 'US001', detail = 'restless';
    end if;
    done := done || jsonb_build_object('changes', usher.compare(shapes, done, images, salt));
    if not exists (select from unnest(shapes) s where s.is_user is not null) then return done; end if;
    return done || jsonb_build_object(
        'others', usher.count_foreign_users(act, changes.keys, at, arguments, done -> 'changes', told),
        'changes', (select coalesce(jsonb_agg(c.value - 'whose' order by c.place), '[]')
                      from jsonb_array_elements(done -> 'changes') with ordinality as c (value, place)));
exception when sqlstate 'UA005' then
    error := sqlerrm;
    if act.each is null and act.undoes is null and cardinality(changes.keys) > 1 then
        objections := usher.rejected_subjects(app, act, relations, deferred, changes.keys, at, arguments);
    end if;
    if objections = '[]' or jsonb_array_length(objections) = cardinality(changes.keys) and not is_tolerant then
        raise sqlstate 'UA005' using message = error;
    end if;
    return jsonb_build_object('objections', objections);
end
$$;
