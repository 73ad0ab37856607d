-- The first columns of indexes of these tables, before an expression, that have few values and may be read. The values are
-- counted in the index itself, from one to the next and only as far as necessary: statistics may be missing, and loading their
-- view takes a new session longer. The name of the table is known only now, so the query is a text, which ts_stat() runs.
-- Tables that Citus may distribute are left out, because ts_stat() can't read them. The numbers are those of Postgres' own
-- btrees, ascending or descending as a whole.
select a.attrelid as "table", a.attnum as number, a.attname as name
  from (select distinct i.indrelid, i.indkey[0] as number, i.indcollation[0] as "collation"
          from pg_index i
         where i.indrelid = any (array(select c.oid from pg_class c
                                        where c.relname = any ($2::text[])
                                          and c.relnamespace = any (array(select n.oid from pg_namespace n where n.nspname = any ($1::text[])))))
           and i.indisvalid and i.indnkeyatts > 1 and i.indkey[1] = 0 and i.indpred is null and i.indoption[0] in (0, 3)
           and (select o.opcmethod = 403 and o.opcdefault from pg_opclass o where o.oid = i.indclass[0])) i,
       pg_attribute a
 where a.attrelid = i.indrelid and a.attnum = i.number and a.attcollation = i."collation"
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
                   else 'select null::tsvector where false' end))
