-- Taking an operation back as an act, in one of the orders in which rows can be removed, inserted and put back: constraints may
-- allow only some of them.
create or replace function usher.undo_act(operation usher.operation, steps jsonb, kinds text[]) returns jsonb
language sql stable
as $$
    with sorted as (
        select p.value,
               row_number() over (order by array_position(kinds, p.value ->> 'kind'),
                                           case p.value ->> 'kind' when 'insert' then - p.place else p.place end) as turn
          from jsonb_array_elements(steps -> 'pieces') with ordinality as p (value, place)
    )
    select jsonb_build_object(
        'command', 'audit undo', 'undoes', operation.id,
        'subject', case when coalesce(operation.payload -> 'users', '[]') = '[]' then 'nothing' else 'users' end,
        'refusals', 0, 'expects', '[]'::jsonb, 'impacts', '[]'::jsonb, 'parameters', '[]'::jsonb,
        'steps', (select jsonb_agg(p.value -> 'step' order by p.turn) from sorted p)
                 || case when (select count(*) from sorted) < 2 then '[]'
                         else (select coalesce(jsonb_agg(p.value -> 'step' || jsonb_build_object('sql', p.value -> 'correction') order by p.turn), '[]')
                                 from sorted p where p.value ->> 'correction' is not null) end,
        'obstacles', (select jsonb_agg(p.value -> 'obstacle') from sorted p),
        'verifications', (select jsonb_agg(p.value -> 'verification') from sorted p),
        'confines', (select jsonb_agg(p.value -> 'confine') from sorted p))
$$;
