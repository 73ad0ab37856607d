-- The SQL that takes down what a statement `w` updated, as the changes `i` of the operation $4, one for each row of which something
-- is different; `d` has all that it updated, and tells of each row whether it strays: whether anything else changed in it than may,
-- or its key. Who wants to know how many they are reads `d` once.
-- `before` joins the rows `b` as they were, `columns` may change, `watched` may not, `assigned` are the names of those that the
-- statement writes itself, `usual` of those that change in most rows. What is `stray` besides is SQL.
--
-- A row in which just the usual ones change is one piece of JSON made at once; to take out what did not change costs as much again.
create or replace function usher.recorded_update(
    shape jsonb, before text, columns jsonb, watched jsonb, assigned jsonb, usual jsonb, stray text
) returns text
language plpgsql stable
as $$
begin
    return (
    select format(
$statement$
d as materialized (
    select pg_catalog.row_number() over () - 1 as ordinal, %1$s as is_straying,
           case when %2$s then pg_catalog.to_jsonb(u)
                else (select pg_catalog.jsonb_build_object(
                                 'table', %3$L::text, 'key', %4$s, 'before', (%5$s) - c.kept, 'after', (%6$s) - c.kept, 'rewritten', %7$s)
                        from (select pg_catalog.array_remove(array[%8$s]::text[], null) as kept offset 0) c
                       where pg_catalog.cardinality(c.kept) < %9$s) end as payload
      from w
      %10$s
     cross join lateral (select %11$s) k
     cross join lateral (select %12$s) o
     cross join lateral (select %13$s) n
     cross join lateral (select %3$L::text as "table", k as key, o as before, n as after, %14$L::jsonb as rewritten) u),
x as materialized (
    select usher.salts((select pg_catalog.count(*) from d)) as salts),
i as (
    insert into usher.change (operation, ordinal, digest, salt, payload)
    select $4, d.ordinal, pg_catalog.sha256(s.salt || pg_catalog.convert_to(d.payload::text, 'UTF8')), s.salt, d.payload
      from d
     cross join lateral (select pg_catalog.substr((select x.salts from x), (d.ordinal * 16 + 1)::integer, 16) as salt offset 0) s
     where d.payload is not null)
$statement$,
        concat_ws(' or ', coalesce((select format('row(%s)::record operator(pg_catalog.*<>) row(%s)::record',
                                                  string_agg('b.' || (c.of ->> 'sql'), ', '), string_agg('w.' || (c.of ->> 'sql'), ', '))
                                      from jsonb_array_elements(keyed.columns || coalesce(watched, '[]')) as c (of)), 'false'), stray),
        concat_ws(' and ',
                  (select coalesce(string_agg(format('row(b.%1$s)::record operator(pg_catalog.*<>) row(w.%1$s)::record', c.of ->> 'sql'), ' and '), 'false')
                     from jsonb_array_elements(recorded_update.columns) as c (of) where usual ? (c.of ->> 'name')),
                  (select format('row(%s)::record operator(pg_catalog.*=) row(%s)::record',
                                 string_agg('b.' || (c.of ->> 'sql'), ', '), string_agg('w.' || (c.of ->> 'sql'), ', '))
                     from jsonb_array_elements(recorded_update.columns) as c (of) where not usual ? (c.of ->> 'name') having count(*) > 0)),
        shape ->> 'name', usher.object(keyed.columns, 'w'), usher.object(recorded_update.columns, 'b'), usher.object(recorded_update.columns, 'w'),
        coalesce((select string_agg(format('case when %L = any (c.kept) then ''[]''::jsonb else %L::jsonb end',
                                           c.of ->> 'name', jsonb_build_array(c.of ->> 'name')), ' || ')
                    from jsonb_array_elements(recorded_update.columns) as c (of)
                   where not assigned ? (c.of ->> 'name')), '''[]''::jsonb'),
        (select string_agg(format('case when row(b.%1$s)::record operator(pg_catalog.*=) row(w.%1$s)::record then %2$L end',
                                  c.of ->> 'sql', c.of ->> 'name'), ', ')
           from jsonb_array_elements(recorded_update.columns) as c (of)),
        jsonb_array_length(recorded_update.columns),
        recorded_update.before,
        (select string_agg(usher.value(c.of, 'w.' || (c.of ->> 'sql')) || ' as ' || (c.of ->> 'sql'), ', ') from jsonb_array_elements(keyed.columns) as c (of)),
        (select string_agg(usher.value(c.of, 'b.' || (c.of ->> 'sql')) || ' as ' || (c.of ->> 'sql'), ', ')
           from jsonb_array_elements(recorded_update.columns) as c (of) where usual ? (c.of ->> 'name')),
        (select string_agg(usher.value(c.of, 'w.' || (c.of ->> 'sql')) || ' as ' || (c.of ->> 'sql'), ', ')
           from jsonb_array_elements(recorded_update.columns) as c (of) where usual ? (c.of ->> 'name')),
        (select coalesce(jsonb_agg(c.of -> 'name'), '[]')
           from jsonb_array_elements(recorded_update.columns) as c (of) where usual ? (c.of ->> 'name') and not assigned ? (c.of ->> 'name')))
      from (select jsonb_agg(c.of order by c.place) as columns
              from jsonb_array_elements(shape -> 'columns') with ordinality as c (of, place)
             where (c.of ->> 'in_key')::boolean) keyed);
end
$$;
