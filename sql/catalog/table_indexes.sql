-- The first place of each index of these tables, and the second if it is an expression: the column or else the expression, and
-- its order. The numbers are those of Postgres' own access methods.
select i.indrelid as "table", p.place, i.indkey[p.place - 1] as number, i.indkey[0] as first,
       case when i.indkey[p.place - 1] = 0 then
            regexp_replace(pg_get_indexdef(i.indexrelid, p.place, true), '::(text|character varying|bpchar)|[()" ]', '', 'g') end as key,
       i.indisunique and i.indnkeyatts = 1 as "unique",
       regexp_replace(pg_get_expr(i.indpred, i.indrelid), '[()" ]', '', 'g') as predicate,
       (select case o.opcmethod when 403 then 'btree' when 405 then 'hash' else 'other' end || ' ' || o.opcname || ' ' || quote_ident(n.nspname)
          from pg_opclass o join pg_namespace n on n.oid = o.opcnamespace where o.oid = i.indclass[p.place - 1]) as class,
       i.indcollation[p.place - 1] as "collation", i.indcollation[p.place - 1]::regcollation::text as collation_name,
       case when i.indkey[p.place - 1] = 0 then
            (select coalesce(nullif(c.collcollate, ''), (select d.datcollate from pg_database d where d.datname = current_database()))
                        in ('C', 'POSIX', 'C.UTF-8', 'C.utf8')
                    and coalesce(nullif(c.collprovider, 'd'),
                                 (select to_jsonb(d) ->> 'datlocprovider' from pg_database d where d.datname = current_database())::"char", 'c')
                        in ('c', 'b')
               from pg_collation c where c.oid = i.indcollation[p.place - 1]) end as codepoints
  from pg_index i, lateral (values (1), (2)) as p (place)
 where i.indrelid = any (array(select c.oid from pg_class c
                                where c.relname = any ($2::text[])
                                  and c.relnamespace = any (array(select n.oid from pg_namespace n where n.nspname = any ($1::text[])))))
   and i.indisvalid and p.place <= i.indnkeyatts and (p.place = 1 or i.indkey[1] = 0)
