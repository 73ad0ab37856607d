-- The SQL that sets back some columns of the rows that an operation ($5) changed, and takes that down as the operation $4. $3 are
-- the changes to leave alone, as the keys of an object. A row that is as it was before in all of these columns is left alone, too.
-- `changed` are the columns, `usual` the names of those that the operation changed in most rows.
--
-- A column that a trigger overwrites shows by doing: it is not as it was set (`apart`). So a row that is not as the operation left
-- it is set back as well; its change conflicts where a column has `moved` since that could be set back, unless all such columns were
-- as before already, and the row is `restored`.
create or replace function usher.restore_statement(shape jsonb, changed jsonb, usual jsonb) returns text
language plpgsql stable
as $$
begin
    return (
    with keyed as (
        select jsonb_agg(c.of order by c.place) as columns
          from jsonb_array_elements(shape -> 'columns') with ordinality as c (of, place)
         where (c.of ->> 'in_key')::boolean
    ),
    image as (
        select format('(pg_catalog.jsonb_populate_record(null::%s, c.', shape ->> 'sql') as opened
    ),
    written as (
        -- A CASE would make of a domain what it stands for.
        select w.of ->> 'name' as name, w.of ->> 'sql' as sql, w.place, p.place as was,
               format('(case when c.before ? %L then %s else t.%s end)::%s', w.of ->> 'name',
                      usher.recorded_value(w.of, 'c.before', i.opened || 'before))'), w.of ->> 'sql', w.of ->> 'bare_type') as due,
               format('(case when c.before ? %L then t.%s end)::%s', w.of ->> 'name', w.of ->> 'sql', w.of ->> 'bare_type') as now,
               format('(%s)::%s', usher.recorded_value(w.of, 'c.after', i.opened || 'after))'), w.of ->> 'bare_type') as left_as
          from jsonb_array_elements(restore_statement.changed) with ordinality as w (of, place)
          join jsonb_array_elements(shape -> 'columns') with ordinality as p (of, place) on p.of = w.of
         cross join image i
         where (w.of ->> 'settable')::boolean
    )
    select format(
$statement$
with o as materialized (
    select c.ordinal, c.before, t.ctid as place, %1$s,
           case when row(%2$s)::record operator(pg_catalog.*<>) row(%3$s)::record then pg_catalog.array_remove(array[%4$s]::text[], null) end as moved,
           case when c.is_plain is not true then 'unlike' when t.ctid is null then 'gone'
                when row(%5$s)::record operator(pg_catalog.*=) row(%6$s)::record then 'restored' else 'due' end as state
      from (select c.ordinal, c.payload -> 'key' as key, c.payload -> 'before' as before, c.payload -> 'after' as after,
                   c.payload ->> 'table' = %7$L and c.payload -> 'secrets' is null
                   and pg_catalog.jsonb_typeof(c.payload -> 'before') = 'object' and pg_catalog.jsonb_typeof(c.payload -> 'after') = 'object'
                   and (c.payload -> 'before') - %8$L::text[] = '{}' and (c.payload -> 'after') - %8$L::text[] = '{}' as is_plain
              from usher.change c
             where c.operation = $5 and c.erased is null and not $3 ? c.ordinal::text offset 0) c
      left join %9$s t on %10$s),
w as (
    update %9$s t set (%11$s) = row(%12$s) from o
     where o.state = 'due' and %13$s
    returning o.ordinal as "usher ordinal", o.before as "usher before", o.moved as "usher moved", %14$s),
%15$s,
e as (
    select w."usher ordinal" as ordinal, w."usher moved" as moved, %16$s as is_set,
           case when row(%17$s)::record operator(pg_catalog.*=) row(%18$s)::record then '{}'
                else pg_catalog.array_remove(array[%19$s]::text[], null) end as apart,
           case when w."usher moved" is not null then pg_catalog.array_remove(array[%20$s]::text[], null) end as unlike
      from w),
f as materialized (
    select e.ordinal, e.is_set, e.apart, e.unlike <@ e.apart as is_restored, e.moved is not null and not e.moved <@ e.apart as conflicts from e)
select (select pg_catalog.jsonb_build_object('written', pg_catalog.count(*), 'changed', pg_catalog.count(d.payload),
                                             'straying', pg_catalog.count(*) filter (where d.is_straying)) from d)
       || (select pg_catalog.jsonb_build_object(
               'set', pg_catalog.count(*) filter (where f.is_set),
               'since', coalesce(pg_catalog.jsonb_agg(f.ordinal order by f.ordinal) filter (where f.conflicts and not f.is_restored), '[]'),
               'restored', coalesce(pg_catalog.jsonb_agg(f.ordinal order by f.ordinal) filter (where f.conflicts and f.is_restored), '[]'),
               'apart', (select coalesce(pg_catalog.string_agg(n.name, ', ' order by n.name), '')
                           from (select distinct a.name from f g, pg_catalog.unnest(g.apart) a (name)) n)) from f)
       || pg_catalog.jsonb_build_object(
           'found', pg_catalog.count(*) filter (where o.state = 'due'), 'unlike', pg_catalog.count(*) filter (where o.state = 'unlike'),
           'gone', coalesce(pg_catalog.jsonb_agg(o.ordinal order by o.ordinal) filter (where o.state = 'gone'), '[]'))
  from o
$statement$,
        (select string_agg(format('t.%s as "was %s"', r.of ->> 'sql', r.place), ', ') from jsonb_array_elements(shape -> 'columns') with ordinality as r (of, place))
            || ', ' || (select string_agg(format('%s as "due %s"', w.due, w.place), ', ') from written w),
        (select string_agg(w.now, ', ') from written w),
        (select string_agg(w.left_as, ', ') from written w),
        (select string_agg(format('case when row(%s)::record operator(pg_catalog.*<>) row(%s)::record then %L end', w.now, w.left_as, w.name), ', ') from written w),
        (select string_agg('t.' || w.sql, ', ') from written w),
        (select string_agg(w.due, ', ') from written w),
        shape ->> 'name',
        array(select r.of ->> 'name' from jsonb_array_elements(restore_statement.changed) r (of)),
        case when (shape ->> 'partitioned')::boolean then '' else 'only ' end || (shape ->> 'sql'),
        (select string_agg(format('t.%s = %s', k.of ->> 'sql', usher.recorded_value(k.of, 'c.key', i.opened || 'key))')), ' and ')
           from jsonb_array_elements(keyed.columns) k (of), image i),
        (select string_agg(w.sql, ', ') from written w),
        (select string_agg(format('o."due %s"', w.place), ', ') from written w),
        -- Among partitions a place has to be looked for in each, a key in one.
        case when (shape ->> 'partitioned')::boolean
             then (select string_agg(format('t.%s = o."was %s"', k.of ->> 'sql', k.place), ' and ')
                     from jsonb_array_elements(shape -> 'columns') with ordinality as k (of, place) where (k.of ->> 'in_key')::boolean)
             else 't.ctid = o.place' end,
        (select string_agg(format('t.%1$s, o."was %2$s"', r.of ->> 'sql', r.place), ', ') from jsonb_array_elements(shape -> 'columns') with ordinality as r (of, place))
            || (select string_agg(format(', o."due %s"', w.place), '') from written w),
        usher.recorded_update(
            shape,
            (select format('cross join lateral (select %s) b', string_agg(format('w."was %s" as %s', r.place, r.of ->> 'sql'), ', '))
               from jsonb_array_elements(shape -> 'columns') with ordinality as r (of, place)),
            usual, null),
        (select string_agg(format('(w."usher before" ? %L and row(w.%s)::record operator(pg_catalog.*=) row(w."due %s")::record)', w.name, w.sql, w.place), ' or ') from written w),
        (select string_agg('w.' || w.sql, ', ') from written w),
        (select string_agg(format('w."due %s"', w.place), ', ') from written w),
        (select string_agg(format('case when w."usher before" ? %L and row(w.%s)::record operator(pg_catalog.*<>) row(w."due %s")::record then %L end',
                                  w.name, w.sql, w.place, w.name), ', ') from written w),
        (select string_agg(format('case when row(w."was %s")::record operator(pg_catalog.*<>) row(w."due %s")::record then %L end', w.was, w.place, w.name), ', ') from written w))
      from keyed);
end
$$;
