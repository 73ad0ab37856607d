-- The foreign keys without an index on the referring columns; each deletion of a referenced row scans the whole referring table. Names are
-- quoted if necessary.
select c.conrelid::regclass::text as "table",
       (select string_agg(quote_ident(a.attname), ', ' order by k.place)
          from unnest(c.conkey) with ordinality as k (number, place)
          join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.number) as columns,
       c.confrelid::regclass::text as referenced, t.relkind = 'p' as partitioned,
       (case when t.reltuples >= 0 then t.reltuples
             when t.relkind = 'p' then (select sum(pg_relation_size(p.relid)) from pg_partition_tree(t.oid) p) / 200
             else pg_relation_size(t.oid) / 200 end)::bigint as rows
  from pg_constraint c
  join pg_class t on t.oid = c.conrelid
 where c.contype = 'f'
   and c.conparentid = 0
   and not exists (select from pg_index i
                    where i.indrelid = c.conrelid and i.indisvalid and i.indpred is null
                      and (i.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey)
 order by rows desc, 1, 2
