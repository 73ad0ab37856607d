-- Whether no two rows hold the same in columns ($2) of tables ($1, one each), as the planner remembers, of so many values that
-- this is no chance ($3); NULL where it remembers nothing. And whether this role may look for itself.
with remembered as materialized (
       -- One by one the planner would look for each column in all of them. Who may see what is asked of few.
       select s.schemaname, s.tablename, s.attname, s.inherited, s.null_frac, s.n_distinct
         from pg_stats s
        where s.tablename = any (array(select c.relname from pg_class c where c.oid = any ($1::oid[])))
          and s.attname = any ($2::text[]::name[])
)
select r.n_distinct < 0 and r.n_distinct + (1 - r.null_frac) < 0.001 and c.reltuples * (1 - r.null_frac) >= $3::int as unshared,
       has_column_privilege(c.oid, w."column", 'select') as readable
  from unnest($1::oid[], $2::text[]) with ordinality as w ("table", "column", place)
  join pg_class c on c.oid = w."table"
  join pg_namespace n on n.oid = c.relnamespace
  left join remembered r on (r.schemaname, r.tablename, r.attname, r.inherited) = (n.nspname, c.relname, w."column", c.relkind = 'p')
 order by w.place
