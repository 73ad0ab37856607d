-- What this session and those of the other servers have written for this transaction, by table, where Citus keeps rows there: as
-- change_counters.sql says it of this server alone. What the other servers wrote besides, and in which sessions they count, stands
-- with what the tables are: where that is not what it was, no difference means anything.
with counted as materialized (select usher.counters() as c)
select e.key as "table", (e.value ->> 0)::bigint as inserted, (e.value ->> 1)::bigint as updated, (e.value ->> 2)::bigint as deleted,
       null::text as tables, null::text as servers, null::boolean as kept, null::text[] as elsewhere
  from counted, jsonb_each(counted.c -> 'counts') e
 union all
select null, 0, 0, 0, counted.c ->> 'tables', counted.c ->> 'servers', true,
       (select array_agg(t.name) from jsonb_array_elements_text(coalesce(nullif(counted.c -> 'elsewhere', 'null'), '[]')) t (name))
  from counted
