-- The columns of some tables, as values travel in them.
with recursive domains (type, base) as (
       select t.oid, t.typbasetype from pg_type t where t.typtype = 'd'
        union all
       select d.type, t.typbasetype from domains d join pg_type t on t.oid = d.base where t.typtype = 'd'
), bases as materialized (
       -- What a domain stands for, however many others lie between.
       select d.type, d.base from domains d join pg_type t on t.oid = d.base where t.typtype <> 'd'
)
select a.attrelid as "table",
       a.attname as name,
       format_type(coalesce(b.base, a.atttypid), -1) as type,
       format_type(a.atttypid, a.atttypmod) as full_type,
       not a.attnotnull and not t.typnotnull and a.attgenerated = '' as fillable,
       a.attgenerated <> '' as generated,
       a.attidentity = 'a' as identity,
       t.typcategory = 'S' as textual,
       a.atttypid in ('timestamptz'::regtype, 'timestamp'::regtype) as instant,
       has_column_privilege(a.attrelid, a.attnum, 'select') as readable,
       exists (select from pg_index i
                where i.indrelid = a.attrelid and i.indisunique and i.indisvalid and i.indnkeyatts = 1
                  and i.indkey[0] = a.attnum) as "unique"
  from pg_attribute a
  join pg_type t on t.oid = a.atttypid
  left join bases b on b.type = a.atttypid
 where a.attrelid = any ($1::oid[]) and a.attnum > 0 and not a.attisdropped
 order by a.attrelid, a.attnum
