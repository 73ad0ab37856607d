-- The keys of the users whom an act changes by its own statements, and whom it is neither about nor names; what triggers write
-- there is the app's own affair. To be asked behind a pass: while what it did is there of the rows that it updated, and of those
-- that it deleted once it is rolled back, since rows lie where the statements say they wrote them only then. Of statements that
-- cannot say so, all is theirs that the transaction wrote there.
create or replace function usher.others(
    app jsonb, act jsonb, keys text[], at timestamptz, arguments jsonb, shapes jsonb, pass jsonb, are_deleted boolean
) returns text[]
language plpgsql volatile
as $$
declare
    root constant jsonb := nullif(app -> 'root', 'null');
    concerned text[];
    shape record;
    changed text[] := '{}';
begin
    if root is null or act ->> 'subject' <> 'users' or act ->> 'undoes' is not null
       or exists (select from jsonb_array_elements(act -> 'steps') s (of) where not (s.of ->> 'confined')::boolean) then
        return changed;
    end if;
    for shape in
        -- Rows are told apart by who they are here, and not by their key.
        select s.key as oid, s.value || jsonb_build_object('columns', jsonb_build_array(
                   jsonb_build_object('sql', quote_ident(u.key), 'in_key', true))) as of,
               -- Where Citus keeps the rows, a place is their key.
               not usher.is_untold(act, s.value)
                   and (not (s.value ->> 'distributed')::boolean
                        or jsonb_path_query_array(s.value, '$.columns[*] ? (@.in_key == true).name') = jsonb_build_array(u.key)) as is_told
          from jsonb_each(shapes) s
          join jsonb_each(others.pass -> 'counts') n on n.key = s.key
         cross join lateral (select usher.user_key(root, s.key::oid) as key) u
         where u.key is not null and (n.value ->> case when are_deleted then 2 else 1 end)::bigint > 0
    loop
        concerned := coalesce(concerned, usher.concerned(act, others.keys, at, arguments));
        changed := changed || array(
            select w.key ->> 0
              from jsonb_array_elements(case
                       when shape.is_told
                       then usher.row_keys(shape.of, 'places', others.pass -> 'places' -> shape.oid)
                       else usher.row_keys(shape.of, case when are_deleted then 'rolled back' else 'written' end, null) end) w (key)
            except select unnest(concerned));
    end loop;
    return changed;
end
$$;
