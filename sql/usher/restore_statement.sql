-- The SQL that puts back what an operation ($5) changed in some columns of rows that are as it left them, and takes that down as
-- the operation $4: how many it put back, how many it should have, which changes are unlike the others, and which rows are
-- something else since. A row that is as it was before is left alone, and so is what is forgotten.
-- `rewritten` are the columns that triggers write, `watched` those that nobody should, `usual` the names of those that the
-- operation changed in most rows.
create or replace function usher.restore_statement(shape jsonb, columns jsonb, rewritten jsonb, watched jsonb, usual jsonb) returns text
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
        select w.of, w.place, format('(case when c.before ? %L then %s else t.%s end)::%s', w.of ->> 'name',
                                     usher.recorded_value(w.of, 'c.before', i.opened || 'before))'), w.of ->> 'sql', w.of ->> 'bare_type') as due
          from jsonb_array_elements(restore_statement.columns) with ordinality as w (of, place), image i
    )
    select format(
$statement$
with o as materialized (
    select c.ordinal, t.ctid as place, %1$s,
           case when c.is_plain is not true then 'unlike' when t.ctid is null then 'since'
                when row(%2$s)::record operator(pg_catalog.*=) row(%3$s)::record then 'restored'
                when row(%4$s)::record operator(pg_catalog.*=) row(%5$s)::record then 'due' else 'since' end as state
      from (select c.ordinal, c.payload -> 'key' as key, c.payload -> 'before' as before, c.payload -> 'after' as after,
                   c.payload ->> 'table' = %6$L and c.payload -> 'secrets' is null
                   and pg_catalog.jsonb_typeof(c.payload -> 'before') = 'object' and pg_catalog.jsonb_typeof(c.payload -> 'after') = 'object'
                   and (c.payload -> 'before') - %7$L::text[] = '{}' and (c.payload -> 'after') - %7$L::text[] = '{}' as is_plain
              from usher.change c
             where c.operation = $5 and c.erased is null offset 0) c
      left join %8$s t on %9$s),
w as (
    update %8$s t set (%10$s) = row(%11$s) from o
     where o.state = 'due' and %12$s
    returning %13$s),
%14$s
select (select pg_catalog.jsonb_build_object('written', pg_catalog.count(*), 'changed', pg_catalog.count(d.payload),
                                             'straying', pg_catalog.count(*) filter (where d.is_straying)) from d)
       || pg_catalog.jsonb_build_object(
           'found', pg_catalog.count(*) filter (where o.state = 'due'), 'unlike', pg_catalog.count(*) filter (where o.state = 'unlike'),
           'since', coalesce(pg_catalog.jsonb_agg(o.ordinal order by o.ordinal) filter (where o.state = 'since'), '[]'))
  from o
$statement$,
        (select string_agg(format('t.%s as "was %s"', r.of ->> 'sql', r.place), ', ') from jsonb_array_elements(read.columns) with ordinality as r (of, place))
            || ', ' || (select string_agg(format('%s as "due %s"', w.due, w.place), ', ') from written w),
        (select string_agg('t.' || (w.of ->> 'sql'), ', ') from written w),
        (select string_agg(w.due, ', ') from written w),
        (select string_agg(format('(case when c.before ? %L then t.%s end)::%s', w.of ->> 'name', w.of ->> 'sql', w.of ->> 'bare_type'), ', ')
           from written w),
        (select string_agg(format('(%s)::%s', usher.recorded_value(w.of, 'c.after', i.opened || 'after))'), w.of ->> 'bare_type'), ', ')
           from written w, image i),
        shape ->> 'name',
        array(select r.of ->> 'name' from jsonb_array_elements(restore_statement.columns || rewritten) r (of)),
        case when (shape ->> 'partitioned')::boolean then '' else 'only ' end || (shape ->> 'sql'),
        (select string_agg(format('t.%s = %s', k.of ->> 'sql', usher.recorded_value(k.of, 'c.key', i.opened || 'key))')), ' and ')
           from jsonb_array_elements(keyed.columns) k (of), image i),
        (select string_agg(w.of ->> 'sql', ', ') from written w),
        (select string_agg(format('o."due %s"', w.place), ', ') from written w),
        -- Among partitions a place has to be looked for in each, a key in one.
        case when (shape ->> 'partitioned')::boolean
             then (select string_agg(format('t.%s = o."was %s"', k.of ->> 'sql', k.place), ' and ') from jsonb_array_elements(keyed.columns) with ordinality as k (of, place))
             else 't.ctid = o.place' end,
        (select string_agg(format('t.%1$s, o."was %2$s"', r.of ->> 'sql', r.place), ', ') from jsonb_array_elements(read.columns) with ordinality as r (of, place))
            || (select string_agg(format(', o."due %s"', w.place), '') from written w),
        usher.recorded_update(
            shape,
            (select format('cross join lateral (select %s) b', string_agg(format('w."was %s" as %s', r.place, r.of ->> 'sql'), ', '))
               from jsonb_array_elements(read.columns) with ordinality as r (of, place)),
            restore_statement.columns || rewritten, watched, (select jsonb_agg(w.of -> 'name') from written w), usual,
            (select format('row(%s)::record operator(pg_catalog.*<>) row(%s)::record',
                           string_agg('w.' || (w.of ->> 'sql'), ', '), string_agg(format('w."due %s"', w.place), ', ')) from written w)))
      from keyed
     cross join lateral (select keyed.columns || restore_statement.columns || rewritten || coalesce(watched, '[]')) as read (columns));
end
$$;
