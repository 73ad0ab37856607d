-- Every column of the tables that can contain rows of an account, and of the audit log if $1 is true. Each column has the base type for
-- comparing its values; for a list, the base type of the elements.
with recursive domains (type, base, required) as materialized (
       select t.oid, t.typbasetype, t.typnotnull from pg_type t where t.typtype = 'd'
), bases (type, base, required) as (
       -- The base type of a domain, through any number of other domains.
       select d.type, d.base, d.required from domains d where not exists (select from domains e where e.type = d.base)
        union all
       select d.type, b.base, d.required or b.required from bases b join domains d on d.base = b.type
), columns as materialized (
       select a.attrelid, a.attnum, a.attname, a.atttypid, a.attnotnull, a.attgenerated, a.attidentity, c.readable, c.updatable
         from (select c.oid, has_table_privilege(c.oid, 'select') as readable, has_table_privilege(c.oid, 'update') as updatable
                 from pg_class c
                 join pg_namespace n on n.oid = c.relnamespace
                where (c.relkind in ('r', 'p', 'f') or c.relkind = 'm' and c.relispopulated) and not c.relispartition
                  and n.nspname <> 'information_schema' and (n.nspname <> 'usher' or $1::boolean) and n.nspname !~ '^pg_') c
         join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
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
         from (select distinct c.atttypid as oid from columns c) t
         left join bases d on d.type = t.oid
         join pg_type b on b.oid = coalesce(d.base, t.oid)
         left join bases f on f.type = b.typelem
         left join pg_type e on e.oid = coalesce(f.base, b.typelem) and b.typcategory = 'A'
                            and b.typsubscript <> 'raw_array_subscript_handler'::regproc
), leads as materialized (
       -- The first columns of indexes; a partial index also counts if its condition is only that the column is not NULL.
       select i.indrelid, i.indkey[0] as number, bool_or(i.indpred is null) as whole,
              bool_or(i.indisunique and i.indnkeyatts = 1 and i.indpred is null) as "unique",
              array_agg(pg_get_expr(i.indpred, i.indrelid)) filter (where i.indpred is not null) as conditions
         from pg_index i
        where i.indisvalid
        group by 1, 2
)
select c.attrelid as "table",
       c.attname as name,
       k.type, k.kind, k.list,
       c.attnotnull or k.required as required,
       c.attgenerated <> '' or c.attidentity = 'a' as generated,
       c.attgenerated <> '' as computed,
       coalesce(l.whole or l.number is not null and format('(%I IS NOT NULL)', c.attname) = any (l.conditions), false) as indexed,
       coalesce(l."unique", false) as "unique",
       c.readable or has_column_privilege(c.attrelid, c.attnum, 'select') as readable,
       c.updatable or has_column_privilege(c.attrelid, c.attnum, 'update') as updatable
  from columns c
  join kinds k on k.oid = c.atttypid
  left join leads l on l.indrelid = c.attrelid and l.number = c.attnum
 order by c.attrelid, c.attnum
