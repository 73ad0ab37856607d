-- The values of text columns whose names end with a word for a status ($1). A column counts only if the planner's statistics list all of
-- its values, and there are only a few.
select c.oid as "table", a.attnum as "column", v.value
  from pg_stats s
  join pg_namespace n on n.nspname = s.schemaname
  join pg_class c on c.relnamespace = n.oid and c.relname = s.tablename and c.relkind in ('r', 'p')
  join pg_attribute a on a.attrelid = c.oid and a.attname = s.attname
  join pg_type t on t.oid = a.atttypid
 cross join lateral (select s.most_common_vals::text::text[] as list) as common
 cross join lateral unnest(common.list) as v (value)
 where t.typcategory = 'S' and lower(a.attname) ~ ('(' || array_to_string($1::text[], '|') || ')$')
   and cardinality(common.list) <= 12
   and cardinality(common.list) >= case when s.n_distinct < 0 then -s.n_distinct * c.reltuples else s.n_distinct end
 order by 1, 2, 3
