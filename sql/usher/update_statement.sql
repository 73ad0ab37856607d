-- The SQL that updates, reads what was there before, and takes down both: how many rows it wrote, how many of them changed,
-- and in how many other columns changed too. $4 is the operation, $5 what its salts are made of.
--
-- A row whose key another one took strays as well: nothing stands beside it, or something else does.
--
-- From 18 on the statement tells the old values itself; before, they are read beside it, at its own snapshot.
create or replace function usher.update_statement(step jsonb, target jsonb, shape jsonb, columns jsonb, watched jsonb) returns text
language sql stable
as $$
    select format(
$statement$
with w as (
%s
returning %s),
d as materialized (
    select pg_catalog.row_number() over () - 1 as ordinal, %s as is_straying, pg_catalog.cardinality(c.kept) = %s as is_same,
           pg_catalog.jsonb_build_object('table', %L::text, 'key', %s, 'before', (%s) - c.kept, 'after', (%s) - c.kept,
                                         'rewritten', %s) as payload
      from w
      %s
     cross join lateral (select pg_catalog.array_remove(array[%s]::text[], null) as kept offset 0) c),
s as (
    select d.ordinal, d.payload, pg_catalog.substr(pg_catalog.sha256($5 || pg_catalog.int8send(d.ordinal + 1)), 1, 16) as salt
      from d where not d.is_same offset 0),
i as (
    insert into usher.change (operation, ordinal, digest, salt, payload)
    select $4, s.ordinal, pg_catalog.sha256(s.salt || pg_catalog.convert_to(s.payload::text, 'UTF8')), s.salt, s.payload from s
    returning 1)
select pg_catalog.jsonb_build_object('written', (select pg_catalog.count(*) from w), 'changed', (select pg_catalog.count(*) from i),
                                     'straying', (select pg_catalog.count(*) from w) - (select pg_catalog.count(*) from d where not d.is_straying))
$statement$,
        step ->> 'sql',
        (select case when telling.old then 'with (old as usher_old) ' else '' end
                || string_agg(format(case when telling.old then '%1$s.%2$s, usher_old.%2$s as "was %3$s"' else '%1$s.%2$s' end,
                                     step ->> 'alias', c.of ->> 'sql', c.place), ', ')
           from jsonb_array_elements(read.columns) with ordinality as c (of, place)),
        coalesce((select format('row(%s)::record operator(pg_catalog.*<>) row(%s)::record',
                                string_agg(format('b.%s', c.of ->> 'sql'), ', '), string_agg(format('w.%s', c.of ->> 'sql'), ', '))
                    from jsonb_array_elements(keyed.columns || watched) as c (of)), 'false'),
        jsonb_array_length(update_statement.columns),
        shape ->> 'name', usher.object(keyed.columns, 'w'), usher.object(update_statement.columns, 'b'), usher.object(update_statement.columns, 'w'),
        coalesce((select string_agg(format('case when row(b.%1$s)::record operator(pg_catalog.*<>) row(w.%1$s)::record then %2$L::jsonb else ''[]''::jsonb end',
                                           c.of ->> 'sql', jsonb_build_array(c.of ->> 'name')), ' || ')
                    from jsonb_array_elements(update_statement.columns) as c (of)
                   where not target -> 'assigned' ? (c.of ->> 'name')), '''[]''::jsonb'),
        case when telling.old then
            (select format('cross join lateral (select %s) b', string_agg(format('w."was %s" as %s', c.place, c.of ->> 'sql'), ', '))
               from jsonb_array_elements(read.columns) with ordinality as c (of, place))
        else format('join %s b on %s', shape ->> 'sql',
                    (select string_agg(format('b.%1$s = w.%1$s', c.of ->> 'sql'), ' and ')
                       from jsonb_array_elements(keyed.columns) as c (of))) end,
        (select string_agg(format('case when row(b.%1$s)::record operator(pg_catalog.*=) row(w.%1$s)::record then %2$L end',
                                  c.of ->> 'sql', c.of ->> 'name'), ', ')
           from jsonb_array_elements(update_statement.columns) as c (of)))
      from (select jsonb_agg(c.of order by c.place) as columns
              from jsonb_array_elements(shape -> 'columns') with ordinality as c (of, place)
             where (c.of ->> 'in_key')::boolean) keyed
     cross join lateral (select keyed.columns || update_statement.columns || coalesce(watched, '[]')) as read (columns)
     cross join (select current_setting('server_version_num')::int >= 180000) as telling (old)
$$;
