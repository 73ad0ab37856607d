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
        select s.key as oid, s.value as of
          from jsonb_each(shapes) s
          join jsonb_each(others.pass -> 'counts') n on n.key = s.key
         where usher.has_key(s.value) and (n.value ->> case when are_deleted then 2 else 1 end)::bigint > 0
           and usher.holds_users(root, s.key::oid)
    loop
        concerned := coalesce(concerned, usher.concerned(act, others.keys, at, arguments));
        changed := changed || array(
            select w.key ->> 0
              from jsonb_array_elements(case
                       when not usher.is_untold(act, shape.of)
                       then usher.row_keys(shape.of, 'places', others.pass -> 'places' -> shape.oid)
                       else usher.row_keys(shape.of, case when are_deleted then 'rolled back' else 'written' end, null) end) w (key)
             where jsonb_array_length(w.key) = 1
            except select unnest(concerned));
    end loop;
    return changed;
end
$$;
