-- How rows of some tables are told apart, read and written back: the key (the primary one, else a unique one that is
-- never NULL), and every column in order, with how far JSON holds its values exactly.
with recursive
ancestry (oid, ancestor) as (
    select c.oid, c.oid from pg_class c where c.oid = any ($1::oid[])
     union
    select a.oid, i.inhparent from ancestry a join pg_inherits i on i.inhrelid = a.ancestor
),
base (type, base) as (
    select t.oid, t.oid from pg_type t
     where t.oid in (select a.atttypid from pg_attribute a where a.attrelid = any ($1::oid[]) and a.attnum > 0)
     union
    select b.type, coalesce(nullif(d.typbasetype, 0), nullif(d.typelem, 0))
      from base b join pg_type d on d.oid = b.base
     where d.typbasetype <> 0 or d.typcategory = 'A'
),
-- The types that a column is made of: itself, what its domains stand for, what its arrays hold.
made (type, is_array, is_json, is_jsonb, is_float, is_foreign) as (
    select b.type, bool_or(t.typcategory = 'A'), bool_or(t.oid = 'json'::regtype), bool_or(t.oid = 'jsonb'::regtype),
           bool_or(t.oid in ('float4'::regtype, 'float8'::regtype)),
           bool_or(t.typtype = 'c' or exists (select from pg_cast k
                                               where k.castsource = t.oid and k.casttarget = 'json'::regtype and t.oid >= 16384))
      from base b join pg_type t on t.oid = b.base
     group by 1
)
select c.oid::text as oid,
       n.nspname as schema,
       c.relname as "table",
       quote_ident(n.nspname) || '.' || quote_ident(c.relname) as table_sql,
       c.relpersistence = 't' as temporary,
       has_table_privilege(c.oid, 'update') or has_any_column_privilege(c.oid, 'update') as lockable,
       exists (select from pg_trigger g
                where g.tgrelid = c.oid and not g.tgisinternal and g.tgenabled <> 'D' and g.tgtype & 16 <> 0) as triggered,
       exists (select from pg_trigger g
                where g.tgrelid = c.oid and not g.tgisinternal and g.tgenabled <> 'D' and g.tgtype & 7 = 7) as insert_triggered,
       (select array_agg(w.word order by p.oid, w.place)
          from ancestry y join pg_class p on p.oid = y.ancestor join pg_namespace m on m.oid = p.relnamespace
         cross join lateral (values (1, m.nspname), (2, p.relname)) as w (place, word)
         where y.oid = c.oid) as ancestors,
       a.attname as "column",
       quote_ident(a.attname) as column_sql,
       format_type(a.atttypid, a.atttypmod) as type,
       a.atttypid::text as type_oid,
       case when f.is_json and not f.is_array then 'json'
            when f.is_jsonb and not f.is_array then 'jsonb'
            when f.is_foreign or f.is_json or f.is_jsonb then 'text'
            when f.is_array then 'array'
            when f.is_float then 'float' else 'plain' end as form,
       a.attgenerated <> '' as generated,
       coalesce(a.attnum = any (k.columns), false) as in_key,
       has_column_privilege(c.oid, a.attnum, 'select') as readable
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join made f on f.type = a.atttypid
  left join lateral (
       select (i.indkey::int2[])[0:i.indnkeyatts - 1] as columns
         from pg_index i
        where i.indrelid = c.oid and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null
          and not exists (select from pg_attribute b
                           where b.attrelid = c.oid and b.attnum = any ((i.indkey::int2[])[0:i.indnkeyatts - 1])
                             and not b.attnotnull)
        order by i.indisprimary desc, i.indnkeyatts, i.indexrelid
        limit 1) k on true
 where c.oid = any ($1::oid[])
 order by c.oid, a.attnum
