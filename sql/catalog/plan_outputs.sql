-- What each step of some plans puts out, a row an expression, whole steps before their parts; a function that is called like a
-- table is an expression of its own, at place 0.
with recursive steps as (
    select p.place::integer as plan, array[]::integer[] as path, p.text::jsonb -> 0 -> 'Plan' as step
      from unnest($1::text[]) with ordinality as p (text, place)
     union all
    select s.plan, s.path || c.place::integer, c.value
      from steps s
     cross join lateral jsonb_array_elements(s.step -> 'Plans') with ordinality as c (value, place)
)
select s.plan, s.path::text as step, s.path[:cardinality(s.path) - 1]::text as whole, s.step ->> 'Alias' as alias,
       s.step ->> 'CTE Name' as query, s.step ->> 'Subplan Name' as part, s.step ->> 'Parent Relationship' as relationship,
       o.place::integer as place, o.text
  from steps s
  left join lateral (
      select e.place, e.text from jsonb_array_elements_text(s.step -> 'Output') with ordinality as e (text, place)
       union all
      select 0, s.step ->> 'Function Call' where s.step ? 'Function Call'
  ) o on true
 order by s.plan, s.path, o.place
