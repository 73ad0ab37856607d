-- Expressions over tables by which users are found, as far as they may be read: the type, how many rows the table has, and
-- each index that holds the expression, itself or in lower case, at its first place or behind a column of few values.
with wanted as materialized (
    select w.place::int as number, c.oid, w.schema, w.name, a.attnum, a.atttypid, c.reltuples,
           coalesce(nullif(a.attcollation, 0), 'pg_catalog."default"'::regcollation) as collation,
           regexp_replace(w.expression, '[()" ]', '', 'g') as expression
      from unnest($1::text[], $2::text[], $3::text[], $4::text[]) with ordinality as w (schema, name, "column", expression, place)
      join pg_namespace n on n.nspname = w.schema
      join pg_class c on c.relnamespace = n.oid and c.relname = w.name and c.relkind in ('r', 'p', 'm')
      join pg_attribute a on a.attrelid = c.oid and a.attname = w."column" and a.attnum > 0 and not a.attisdropped
     where has_column_privilege(c.oid, a.attnum, 'select')
),
-- The definition of an index is asked for only where its columns say that it may be one.
held as materialized (
    select w.number, w.oid, w.schema, w.name, w.collation, w.expression, place, i.indexrelid, i.indrelid, i.indpred, i.indkey[0] as first,
           i.indisunique and i.indnkeyatts = 1 as is_unique, i.indcollation[place - 1] as own, i.indclass[place - 1] as class,
           regexp_replace(pg_get_indexdef(i.indexrelid, place, true), '::(text|character varying|bpchar)|[()" ]', '', 'g') as key
      from wanted w
      join pg_index i on i.indrelid = w.oid and i.indisvalid
     cross join generate_series(1, 2) as place
     where i.indkey[place - 1] in (w.attnum, 0)
),
index as materialized (
    select h.*, (select m.amname from pg_class x join pg_am m on m.oid = x.relam where x.oid = h.indexrelid) as method,
           (select o.opcname from pg_opclass o where o.oid = h.class) as opclass,
           (select a.attname from pg_attribute a where place = 2 and a.attrelid = h.indrelid and a.attnum = h.first) as lead,
           (select coalesce(nullif(c.collcollate, ''), d.datcollate) in ('C', 'POSIX', 'C.UTF-8', 'C.utf8')
                   and coalesce(nullif(c.collprovider, 'd'), (to_jsonb(d) ->> 'datlocprovider')::"char", 'c') in ('c', 'b')
              from pg_collation c, pg_database d
             where c.oid = h.own and d.datname = current_database()) as codepoints
      from held h
     where h.key in (h.expression, 'lower' || h.expression)
)
select w.number, format_type(w.atttypid, -1) as type,
       (case when w.reltuples < 0 then pg_relation_size(w.oid) / 200 else w.reltuples end)::bigint as rows,
       x.method, x.key <> x.expression as lowered, x.is_unique as "unique",
       x.indpred is null or regexp_replace(pg_get_expr(x.indpred, x.indrelid), '[()" ]', '', 'g') = x.expression || 'ISNOTNULL'
           as complete,
       x.opclass like '%pattern\_ops' as pattern, x.opclass in ('gin_trgm_ops', 'gist_trgm_ops') as trigram,
       case when x.own <> x.collation then x.own::regcollation::text end as "collation", coalesce(x.codepoints, false) as codepoints, x.lead
  from wanted w
  left join index x on x.number = w.number
   and (x.place = 1
        or has_column_privilege(x.indrelid, x.first, 'select')
           and (select bool_and(s.n_distinct between 0 and 100) from pg_stats s
                 where s.schemaname = x.schema and s.tablename = x.name and s.attname = x.lead))
 order by w.number, x.place, lowered desc, complete desc, pattern desc
