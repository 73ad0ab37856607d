-- Every column of the tables that can contain rows of an account, and of the audit log if $1 is true. Each column has the base type for
-- comparing its values; for a list, the base type of the elements.
with recursive domains (type, base, required) as materialized (
       select t.oid, t.typbasetype, t.typnotnull from pg_type t where t.typtype = 'd'
), bases (type, base, required) as (
       -- The base type of a domain, through any number of other domains.
       select d.type, d.base, d.required from domains d where not exists (select from domains e where e.type = d.base)
        union all
       select d.type, b.base, d.required or b.required from bases b join domains d on d.base = b.type
), tables as materialized (
       select c.oid
         from pg_class c
         join pg_namespace n on n.oid = c.relnamespace
        where (c.relkind in ('r', 'p', 'f') or c.relkind = 'm' and c.relispopulated) and not c.relispartition
          and n.nspname <> 'information_schema' and (n.nspname <> 'usher' or $1::boolean) and n.nspname !~ '^pg_'
), kinds as materialized (
       select t.oid, coalesce(d.required, false) as required, e.oid is not null as list,
              format_type(coalesce(e.oid, b.oid), -1) as type,
              case when coalesce(e.oid, b.oid) in ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'numeric'::regtype)
                   then 'number'
                   when coalesce(e.oid, b.oid) = 'uuid'::regtype then 'uuid'
                   when coalesce(e.oid, b.oid) in ('json'::regtype, 'jsonb'::regtype, 'xml'::regtype)
                        or coalesce(e.typname, b.typname) = 'hstore' then 'document'
                   when coalesce(e.typcategory, b.typcategory) = 'S' then 'text'
                   when coalesce(e.oid, b.oid) = 'bytea'::regtype then 'bytes'
                   when coalesce(e.typcategory, b.typcategory) = 'C'
                        or coalesce(e.typname, b.typname) in ('tsvector', 'jsonpath', 'ltree') then 'composed'
                   else 'other' end as kind
         from pg_type t
         left join bases d on d.type = t.oid
         join pg_type b on b.oid = coalesce(d.base, t.oid)
         left join bases f on f.type = b.typelem
         left join pg_type e on e.oid = coalesce(f.base, b.typelem) and b.typcategory = 'A'
                            and b.typsubscript <> 'raw_array_subscript_handler'::regproc
), leads as materialized (
       select distinct i.indrelid, i.indkey[0] as number
         from pg_index i
         join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
        where i.indisvalid
          and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) = format('(%I IS NOT NULL)', a.attname))
)
select a.attrelid as "table",
       a.attname as name,
       k.type, k.kind, k.list,
       a.attnotnull or k.required as required,
       a.attgenerated <> '' or a.attidentity = 'a' as generated,
       a.attgenerated <> '' as computed,
       l.number is not null as indexed,
       has_column_privilege(a.attrelid, a.attnum, 'select') as readable,
       has_column_privilege(a.attrelid, a.attnum, 'update') as updatable
  from tables t
  join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
  join kinds k on k.oid = a.atttypid
  left join leads l on l.indrelid = a.attrelid and l.number = a.attnum
 order by a.attrelid, a.attnum
