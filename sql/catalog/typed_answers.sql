-- What became of each text that was read, in their order: the type beneath all domains, or the refusal.
with recursive answer as (
    select a.place, r.type, r.state, r.message, r.detail, r.hint
      from jsonb_array_elements(current_setting('usher.typed')::jsonb) with ordinality as a (value, place)
     cross join lateral jsonb_to_record(a.value) as r (type oid, state text, message text, detail text, hint text)
),
base (place, type) as (
    select answer.place, answer.type from answer
    union all
    select base.place, t.typbasetype from base join pg_type t on t.oid = base.type where t.typtype = 'd'
)
select t.oid as type, answer.state, answer.message, answer.detail, answer.hint
  from answer
  left join (base join pg_type t on t.oid = base.type and t.typtype <> 'd') on base.place = answer.place
 order by answer.place
