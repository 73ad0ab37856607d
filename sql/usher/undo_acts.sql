-- Undoing an operation as an act, in each of the orders in which rows can be removed, inserted and put back: constraints may allow
-- only some of them.
create or replace function usher.undo_acts(operation usher.operation, steps jsonb) returns setof jsonb
language sql stable
as $$
    select jsonb_build_object(
        'command', 'audit undo', 'undoes', operation.id,
        'subject', case when coalesce(operation.payload -> 'users', '[]') = '[]' then 'nothing' else 'users' end,
        'refusals', 0, 'expects', '[]'::jsonb, 'impacts', '[]'::jsonb, 'parameters', '[]'::jsonb,
        'pieces', steps -> 'pieces',
        'steps', jsonb_agg(p.value -> 'step' || jsonb_build_object('apart', p.value -> 'apart') order by p.turn)
                 || case when count(*) < 2 then '[]'
                         else coalesce(jsonb_agg(p.value -> 'step' || jsonb_build_object('sql', p.value -> 'correction') order by p.turn)
                                         filter (where p.value ->> 'correction' is not null), '[]') end)
      from (values (1, '{insert,delete,update}'::text[]), (2, '{delete,update,insert}'), (3, '{update,insert,delete}'),
                   (4, '{insert,update,delete}'), (5, '{update,delete,insert}'), (6, '{delete,insert,update}')) as o (number, kinds)
     cross join lateral (
           select p.value, row_number() over (order by array_position(o.kinds, p.value ->> 'kind'),
                                                       case p.value ->> 'kind' when 'insert' then - p.place else p.place end) as turn
             from jsonb_array_elements(steps -> 'pieces') with ordinality as p (value, place)) p
     group by o.number
     order by o.number
$$;
