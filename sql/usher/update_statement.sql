-- The SQL that does a step which updates one table, reads what was there before, and takes down both: how many rows it wrote,
-- how many of them changed, and how many stray. $4 is the operation.
--
-- A row whose key another one took strays as well: nothing stands beside it, or something else does. So does, where the
-- column `user_key` tells which user a row is, one that the act is not about ($2).
--
-- From 18 on the statement tells the old values itself; before, they are read beside it, at its own snapshot.
create or replace function usher.update_statement(step jsonb, shape jsonb, usual jsonb, user_key text) returns text
language plpgsql stable
as $$
begin
    return (
    select format(
$statement$
with w as (
%s
returning %s),
%s
select pg_catalog.jsonb_build_object('written', pg_catalog.count(*), 'changed', pg_catalog.count(d.payload),
                                     'straying', pg_catalog.count(*) filter (where d.is_straying is not false))
  from d
$statement$,
        step ->> 'sql',
        (select case when telling.old then 'with (old as usher_old) ' else '' end
                || string_agg(format(case when telling.old then '%1$s.%2$s, usher_old.%2$s as "was %3$s"' else '%1$s.%2$s' end,
                                     step ->> 'alias', c.of ->> 'sql', c.place), ', ')
           from jsonb_array_elements(shape -> 'columns') with ordinality as c (of, place))
            || coalesce(format(', %s.%I::pg_catalog.text as "user"', step ->> 'alias', update_statement.user_key), ''),
        usher.recorded_update(
            shape,
            case when telling.old then
                (select format('cross join lateral (select %s) b', string_agg(format('w."was %s" as %s', c.place, c.of ->> 'sql'), ', '))
                   from jsonb_array_elements(shape -> 'columns') with ordinality as c (of, place))
            else format('left join %s b on %s', shape ->> 'sql',
                        (select string_agg(format('b.%1$s = w.%1$s', c.of ->> 'sql'), ' and ')
                           from jsonb_array_elements(shape -> 'columns') as c (of) where (c.of ->> 'in_key')::boolean)) end,
            usual,
            case when update_statement.user_key is not null then 'w."user" operator(pg_catalog.=) any ($2) is not true' end))
      from (select current_setting('server_version_num')::int >= 180000) as telling (old));
end
$$;
