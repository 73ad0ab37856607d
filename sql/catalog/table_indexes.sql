-- The first column or expression of each index on some tables. `equality` is true if the index finds equal values. `prefix` is the condition
-- for which Postgres can use the index to find the texts with a prefix: a LIKE pattern or a range. If all tables are small, the query returns
-- no indexes: a table is large from $3 rows, or if its number of rows is unknown. If the second column of the index is an expression,
-- another row describes this expression. In that row, `lead` is the first column, if it has at most a hundred values and this role can read
-- it.
--
-- The query counts the values of the first column by jumping from value to value in the index, and stops after a hundred values. Statistics
-- may be missing, and reading pg_stats takes longer in a new session. The table is known only by name, so the counting query is a text,
-- which ts_stat() runs. The counting skips tables that Citus distributes, because Citus doesn't support this query.
--
-- 403 is the oid of the access method btree, and 405 of hash. The index option 0 is ascending order with NULLs last, and 3 is descending
-- order with NULLs first.
select i.indrelid as "table", p.place, i.indkey[p.place - 1] as number,
       case when p.place = 2 and i.indpred is null and i.indoption[0] in (0, 3)
                 and (select o.opcmethod = 403 and o.opcdefault from pg_opclass o where o.oid = i.indclass[0]) then
            (select a.attname from pg_attribute a
              where a.attrelid = i.indrelid and a.attnum = i.indkey[0] and a.attcollation = i.indcollation[0]
                and (to_regclass('pg_catalog.pg_dist_partition') is null
                     or a.attrelid::oid::text not in (
                        select d.word from ts_stat('select array_to_tsvector(array_agg(p.logicalrelid::oid::text)) from pg_catalog.pg_dist_partition p') d))
                and exists (select from ts_stat(case when has_column_privilege(a.attrelid, a.attnum, 'select') then format(
                   'with recursive lead (value) as (
                        (select t.%2$I from %1$s t where t.%2$I is not null order by 1 limit 1)
                        union all
                        select (select t.%2$I from %1$s t where t.%2$I > lead.value order by 1 limit 1) from lead where lead.value is not null)
                    select array_to_tsvector(array[''few''])
                      from (select count(value) as many from (select value from lead limit 101) first) counted where many <= 100',
                   a.attrelid::regclass, a.attname)
                   else 'select null::tsvector where false' end))) end as lead,
       case when i.indkey[p.place - 1] = 0 then
            regexp_replace(pg_get_indexdef(i.indexrelid, p.place, true), '::(text|character varying|bpchar)|[()" ]', '', 'g') end as key,
       i.indisunique and i.indnkeyatts = 1 as "unique",
       regexp_replace(pg_get_expr(i.indpred, i.indrelid), '[()" ]', '', 'g') as predicate,
       o.opcmethod in (403, 405) as equality,
       case when o.opcname in ('gin_trgm_ops', 'gist_trgm_ops') then
            (select quote_ident(n.nspname) from pg_namespace n where n.oid = o.opcnamespace) end as trigrams,
       i.indcollation[p.place - 1] as "collation",
       case when o.opcmethod = 403 and o.opcname like '%pattern_ops' then 'pattern'
            when o.opcmethod = 403 and i.indkey[p.place - 1] = 0 then
            (select case when l.locale in ('C', 'POSIX') then 'pattern' when l.locale in ('C.UTF-8', 'C.utf8') then 'range' end
               from pg_collation c,
                    lateral (select coalesce(nullif(c.collcollate, ''),
                                             (select d.datcollate from pg_database d where d.datname = current_database())) as locale) l
              where c.oid = i.indcollation[p.place - 1]
                and coalesce(nullif(c.collprovider, 'd'),
                             (select to_jsonb(d) ->> 'datlocprovider' from pg_database d where d.datname = current_database())::"char", 'c')
                    in ('c', 'b')) end as prefix
  from pg_index i
 cross join (values (1), (2)) as p (place)
 cross join lateral (select o.opcmethod, o.opcname, o.opcnamespace from pg_opclass o where o.oid = i.indclass[p.place - 1] offset 0) o
 where i.indrelid = any ((select array_agg(c.oid) from pg_class c
                          where c.relname = any ($2::text[])
                            and c.relnamespace = any (array(select n.oid from pg_namespace n where n.nspname = any ($1::text[])))
                         having bool_or(c.reltuples >= $3::float4 or c.reltuples < '0'))::oid[])
   and i.indisvalid and p.place <= i.indnkeyatts and (p.place = 1 or i.indkey[1] = 0)
