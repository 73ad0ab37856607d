-- Every column that can contain the searched value, with a flag if the connected role can read all rows of the column. The result includes
-- number columns if the value is a number ($1).
with recursive domains (type, base) as (
       select t.oid, t.typbasetype from pg_type t where t.typtype = 'd'
        union all
       select d.type, t.typbasetype from domains d join pg_type t on t.oid = d.base where t.typtype = 'd'
), bases as materialized (
       -- The base type of a domain, through any number of other domains.
       select d.type, d.base from domains d join pg_type t on t.oid = d.base where t.typtype <> 'd'
), types as materialized (
       select t.oid,
              case when b.typname in ('uuid', 'bytea') then b.typname::text
                   when b.typname in ('json', 'jsonb') then 'json'
                   when $1::boolean and b.typname in ('int2', 'int4', 'int8', 'numeric', 'float4', 'float8') then 'number'
                   when $1::boolean and e.typname in ('int2', 'int4', 'int8', 'numeric', 'float4', 'float8') then 'numbers'
                   when b.typcategory in ('S', 'C') or b.typname in ('xml', 'tsvector', 'jsonpath', 'hstore', 'ltree')
                        or e.typcategory in ('S', 'C') or e.typname in ('uuid', 'json', 'jsonb', 'xml', 'hstore', 'ltree')
                        then 'text' end as kind
         from pg_type t
         left join bases d on d.type = t.oid
         join pg_type b on b.oid = coalesce(d.base, t.oid)
         left join bases f on f.type = b.typelem
         left join pg_type e on e.oid = coalesce(f.base, b.typelem) and b.typcategory = 'A'
), shared as (
       -- The partitioned tables with a partition on another server, because that server may be unreachable.
       select pg_partition_root(c.oid)::oid as oid from pg_class c where c.relkind = 'f' and c.relispartition
), distributed as materialized (
       -- The tables whose rows Citus stores on other servers. The catalog tables of Citus may not exist, so ts_stat() runs the query as a
       -- text.
       select d.word::oid as oid
         from ts_stat(case when to_regclass('pg_catalog.pg_dist_partition') is null then 'select null::tsvector where false'
                           else 'select array_to_tsvector(array_agg(p.logicalrelid::oid::text))
                                   from pg_catalog.pg_dist_partition p' end) d
)
select c.oid as "table",
       n.nspname as schema,
       c.relname as name,
       c.relkind = 'm' as is_copy,
       c.relkind = 'p' as partitioned,
       c.oid in (select d.oid from distributed d) as distributed,
       a.attname as "column",
       t.kind,
       -- Numbers in the table's own key, or in a foreign key, are not keys of users.
       exists (select from pg_constraint k
                where k.conrelid = a.attrelid
                  and (k.contype = 'f' and a.attnum = any (k.conkey) or k.contype = 'p' and k.conkey = array[a.attnum]))
           as explained,
       has_schema_privilege(n.oid, 'usage') and has_column_privilege(c.oid, a.attnum, 'select') as readable,
       -- Row security hides no rows if a policy shows every row to this role and no policy is restrictive.
       coalesce(row_security_active(c.oid), false) and not coalesce((
           select bool_or(p.polpermissive and pg_get_expr(p.polqual, p.polrelid) = 'true') and bool_and(p.polpermissive)
             from pg_policy p
            where p.polrelid = c.oid and p.polcmd in ('r', '*')
              and (0 = any (p.polroles) or exists (select from unnest(p.polroles) role where pg_has_role(role, 'usage')))),
           false) as secured
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join types t on t.oid = a.atttypid and t.kind is not null
 where c.relkind in ('r', 'p', 'm', 'f')
   -- usher searches partitions together with their table. But if a partition is on another server, usher searches each partition
   -- separately.
   and case when c.relispartition then c.relkind <> 'p' and pg_partition_root(c.oid)::oid in (select s.oid from shared s)
            else c.oid not in (select s.oid from shared s) end
   and n.nspname <> 'information_schema'
   and n.nspname !~ '^pg_'
   -- In the audit log, a number can be the key of a user only in the recorded rows (JSON); other numbers count operations.
   and not ($1::boolean and n.nspname = 'usher' and t.kind <> 'json')
 order by 2, 3, a.attnum
