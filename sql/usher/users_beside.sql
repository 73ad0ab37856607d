-- Whose rows an act writes by its own statements although it is neither about them nor names them, by table: rows that refer to
-- users, and to none whom it concerns. To be asked behind a pass, like `usher.others`.
create or replace function usher.users_beside(
    app jsonb, act jsonb, keys text[], at timestamptz, arguments jsonb, shapes jsonb, pass jsonb, are_deleted boolean
) returns jsonb
language plpgsql volatile
as $$
declare
    root constant jsonb := nullif(app -> 'root', 'null');
    concerned text[];
    beside text[];
    found jsonb := '{}';
    shape record;
begin
    if root is null or act ->> 'subject' <> 'users' or act ->> 'undoes' is not null
       or exists (select from jsonb_array_elements(act -> 'steps') s (of) where not (s.of ->> 'confined')::boolean) then
        return found;
    end if;
    for shape in
        -- Rows are told apart by whom they refer to here, and not by their key.
        select s.key as oid, s.value ->> 'name' as name, usher.is_untold(act, s.value) as is_untold,
               s.value || jsonb_build_object('columns', (
                   select jsonb_agg(jsonb_build_object('sql', quote_ident(c.name), 'in_key', true)) from unnest(u.columns) c (name))) as of
          from jsonb_each(shapes) s
          join jsonb_each(users_beside.pass -> 'counts') n on n.key = s.key
         cross join lateral (select usher.user_columns(root, s.key::oid) as columns) u
         where u.columns <> '{}' and not (s.value ->> 'distributed')::boolean and not usher.holds_users(root, s.key::oid)
           and case when are_deleted then (n.value ->> 2)::bigint > 0 else (n.value ->> 0)::bigint + (n.value ->> 1)::bigint > 0 end
    loop
        if not shape.is_untold and not users_beside.pass -> 'places' ? shape.oid then continue; end if;
        concerned := coalesce(concerned, usher.concerned(act, users_beside.keys, at, arguments));
        with named (place, key) as materialized (
            select r.place, v.key
              from jsonb_array_elements(usher.row_keys(
                       shape.of, case when not shape.is_untold then 'places' when are_deleted then 'rolled back' else 'written' end,
                       case when not shape.is_untold then users_beside.pass -> 'places' -> shape.oid end)) with ordinality as r (users, place)
             cross join lateral jsonb_array_elements_text(r.users) as v (key)
             where v.key is not null
        )
        select array_agg(distinct w.key) into beside
          from named w
         where w.place not in (select o.place from named o join unnest(concerned) c (key) on c.key = o.key);
        if beside is not null then found := found || jsonb_build_object(shape.name, beside); end if;
    end loop;
    return found;
end
$$;
