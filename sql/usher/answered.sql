-- What is taken down of the decisions where a part of many is done by one statement: which were asked and what each answer to
-- them was, as an act promises, and which were not asked, since to ask them costs as much as to change the rows.
create or replace function usher.answered(app jsonb, act jsonb) returns jsonb
language sql immutable
as $$
    select jsonb_build_object(
        'answered', (select jsonb_agg(jsonb_build_object('decision', e.value -> 'decision', 'outcomes', e.value -> 'outcomes'))
                       from jsonb_array_elements(act -> 'expects') e),
        'unasked', (select jsonb_agg(d.value -> 'name' order by d.place)
                      from jsonb_array_elements(app -> 'decisions') with ordinality as d (value, place)
                     where not jsonb_path_exists(act, '$.expects[*].decision ? (@ == $name)', jsonb_build_object('name', d.value -> 'name'))))
$$;
