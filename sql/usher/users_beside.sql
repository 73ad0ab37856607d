-- Whose rows an act writes by its own statements although it is neither about them nor names them, by table: rows that refer to
-- users, and to none whom it concerns. To be asked behind a pass, like `usher.others`: while what it did is there of the rows as
-- they became, whose keys come along, and once it is rolled back of these (`written`) and of those that it deleted as they were.
create or replace function usher.users_beside(
    app jsonb, act jsonb, keys text[], at timestamptz, arguments jsonb, shapes jsonb, pass jsonb, written jsonb
) returns jsonb
language plpgsql volatile
as $$
declare
    root constant jsonb := nullif(app -> 'root', 'null');
    is_back constant boolean := users_beside.written is not null;
    concerned text[];
    beside text[];
    rows jsonb;
    found jsonb := '{}';
    keyed jsonb := '{}';
    shape record;
begin
    if root is null or act ->> 'subject' <> 'users' or act ->> 'undoes' is not null
       or exists (select from jsonb_array_elements(act -> 'steps') s (of) where not (s.of ->> 'confined')::boolean) then
        return jsonb_build_object('users', found, 'written', keyed);
    end if;
    for shape in
        -- Rows are told apart by whom they refer to here, and not by their key.
        select s.key as oid, s.value ->> 'name' as name, s.value as whole, usher.is_untold(act, s.value) as is_untold,
               users_beside.pass -> 'places' -> s.key as places, n.value as counts, u.columns,
               s.value || jsonb_build_object('columns', (
                   select jsonb_agg(jsonb_build_object('sql', quote_ident(c.name), 'in_key', true)) from unnest(u.columns) c (name))) as of
          from jsonb_each(shapes) s
          join jsonb_each(users_beside.pass -> 'counts') n on n.key = s.key
         cross join lateral (select usher.user_columns(root, s.key::oid) as columns) u
         where u.columns <> '{}' and not (s.value ->> 'distributed')::boolean and usher.user_key(root, s.key::oid) is null
    loop
        if not shape.is_untold and shape.places is null then continue; end if;
        rows := '[]';
        if (case when is_back then (shape.counts ->> 2)::bigint else (shape.counts ->> 0)::bigint + (shape.counts ->> 1)::bigint end) > 0 then
            rows := usher.row_keys(
                shape.of, case when not shape.is_untold then 'places' when is_back then 'rolled back' else 'written' end,
                case when not shape.is_untold then shape.places end);
        end if;
        if not is_back and (shape.counts ->> 1)::bigint > 0 and usher.has_key(shape.whole) then
            keyed := keyed || jsonb_build_object(shape.oid, usher.row_keys(
                shape.whole, case when shape.is_untold then 'written' else 'places' end, case when not shape.is_untold then shape.places end));
        end if;
        if is_back and users_beside.written ? shape.oid then
            rows := rows || usher.row_users(shape.whole, shape.columns, users_beside.written -> shape.oid);
        end if;
        if rows = '[]' then continue; end if;
        concerned := coalesce(concerned, usher.concerned(act, users_beside.keys, at, arguments));
        with named (place, key) as materialized (
            select r.place, v.key
              from jsonb_array_elements(rows) with ordinality as r (users, place)
             cross join lateral jsonb_array_elements_text(r.users) as v (key)
             where v.key is not null
        )
        select array_agg(distinct w.key) into beside
          from named w
         where w.place not in (select o.place from named o join unnest(concerned) c (key) on c.key = o.key);
        if beside is not null then found := found || jsonb_build_object(shape.name, beside); end if;
    end loop;
    return jsonb_build_object('users', found, 'written', keyed);
end
$$;
