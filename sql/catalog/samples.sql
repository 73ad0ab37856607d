-- What the planner remembers of some columns ($2) of tables ($1, one each): values spread over all that there are, at most
-- about thirty a column, elements for lists, and the share of rows without one. What nobody looked at has no line.
with wanted as materialized (
       select w."table", w."column", n.nspname, c.relname, c.relkind = 'p' as inherited
         from unnest($1::oid[], $2::text[]) as w ("table", "column")
         join pg_class c on c.oid = w."table"
         join pg_namespace n on n.oid = c.relnamespace
), remembered as materialized (
       -- One by one the planner would look for each column in all of them.
       select s.schemaname, s.tablename, s.attname, s.inherited, s.null_frac, s.most_common_vals, s.most_common_elems,
              s.histogram_bounds
         from pg_stats s
        where s.schemaname not in ('pg_catalog', 'information_schema')
), joined as materialized (
       select w."table", w."column", r.null_frac as empty,
              coalesce(r.most_common_elems, r.most_common_vals)::text::text[] as common,
              case when r.most_common_elems is null then r.histogram_bounds::text::text[] end as bounds
         from wanted w
         join remembered r on (r.schemaname, r.tablename, r.attname, r.inherited)
                              = (w.nspname, w.relname, w."column", w.inherited)
)
select j."table",
       j."column",
       j.common[:12] || array(select distinct j.bounds[1 + i * (cardinality(j.bounds) - 1) / 17] from generate_series(0, 17) as i
                               where j.bounds is not null) as "values",
       j.empty
  from joined j
