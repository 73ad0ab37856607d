-- What keeps two rows of some tables ($1) from being there at once: the unique keys, in expressions over the rows.
select i.indrelid as "table",
       array(select pg_get_indexdef(i.indexrelid, n, true) from generate_series(1, i.indnkeyatts) n order by n) as expressions,
       pg_get_expr(i.indpred, i.indrelid) as condition,
       -- Older servers know no other.
       coalesce((to_jsonb(i) ->> 'indnullsnotdistinct')::boolean, false) as nulls_collide
  from pg_index i
 where i.indrelid = any ($1::oid[]) and i.indisunique and i.indisvalid
 order by i.indrelid, i.indexrelid
