-- The changes of an operation whose rows changed since: {ordinal, key, table, of, unlike, names, restored} each, and whether the row
-- is as it was before.
--
-- A column that triggers overwrite whatever it is set to may have moved on, as a time of the last change does. Which ones these are
-- shows by doing: where columns moved, it is undone, compared and rolled back. Where it cannot be undone, all of them count.
create or replace function usher.changed_since(app jsonb, undone usher.operation, steps jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    targets constant jsonb := usher.targets(jsonb_build_object('steps', jsonb_path_query_array(steps, '$.pieces[*].step')));
    relations constant jsonb := usher.written(targets);
    act jsonb;
    found jsonb;
    kept jsonb := '[]';
begin
    perform usher.refuse_obstacle(r.value ->> 'obstacle', r.value ->> 'place') from jsonb_each(relations) r order by r.key;
    perform usher.refuse_hidden(targets);
    found := usher.found(steps -> 'pieces', 'since');
    if jsonb_path_exists(found, '$[*] ? (@.unlike == "changed" && @.kind == "update")') then
        for act in select a.act from usher.undo_acts(undone, steps) a (act) loop
            begin
                perform usher.steps(app, act, relations, usher.deferred(), '{}', transaction_timestamp(), '{}', '{}', '{}', '{}', '{}');
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
