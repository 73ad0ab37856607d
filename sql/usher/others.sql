-- The keys of the users whom an act that keeps to its subjects changes by its own statements, and whom it is neither about nor
-- names. Rows of users are those of their table, and those whose key is a foreign key to theirs; what triggers write there is the
-- app's own affair. To be asked behind a pass: while what it did is there of the rows that it updated, and of those that it
-- deleted once it is rolled back, since rows lie where the statements say they wrote them only then.
create or replace function usher.others(
    app jsonb, act jsonb, keys text[], at timestamptz, arguments jsonb, shapes jsonb, pass jsonb, are_deleted boolean
) returns text[]
language plpgsql volatile
as $$
declare
    root constant jsonb := nullif(app -> 'root', 'null');
    relation constant oid := (select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
                               where n.nspname = root ->> 'schema' and c.relname = root ->> 'table');
    concerned text[];
    shape record;
    changed text[] := '{}';
begin
    if relation is null or act ->> 'subject' <> 'users' or act ->> 'undoes' is not null
       or exists (select from jsonb_array_elements(act -> 'steps') s (of) where not (s.of ->> 'keeps')::boolean) then
        return changed;
    end if;
    for shape in
        select s.key as oid, s.value as of
          from jsonb_each(shapes) s
          join jsonb_each(others.pass -> 'counts') n on n.key = s.key
         where usher.has_key(s.value) and (n.value ->> case when are_deleted then 2 else 1 end)::bigint > 0
           and (s.key::oid = relation
                or exists (select from pg_constraint f
                             join pg_index i on i.indrelid = f.conrelid and i.indisprimary
                             join pg_attribute a on a.attrelid = f.confrelid and a.attname = root ->> 'key' and a.attnum = f.confkey[1]
                            where f.contype = 'f' and f.conrelid = s.key::oid and f.confrelid = relation
                              and cardinality(f.conkey) = 1 and i.indnkeyatts = 1 and i.indkey[0] = f.conkey[1]))
    loop
        concerned := coalesce(concerned, usher.concerned(act, others.keys, at, arguments));
        changed := changed || array(
            select w.key ->> 0
              from jsonb_array_elements(usher.row_keys(shape.of, 'places', others.pass -> 'places' -> shape.oid)) w (key)
             where jsonb_array_length(w.key) = 1
            except select unnest(concerned));
    end loop;
    return changed;
end
$$;
