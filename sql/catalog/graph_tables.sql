-- Every table, materialized view and foreign table that can contain rows of a user, with the key that identifies its rows. The query skips
-- tables in the schemas $1 (the audit log and other tenants), unless they have a foreign key to the schema of the chosen tenant ($2). The
-- names of types have no length: `bpchar` and not `character`, because a cast to `character` cuts values to one letter.
with recursive domains (type, base) as materialized (
       select t.oid, t.typbasetype from pg_type t where t.typtype = 'd'
), bases (type, base) as (
       -- The base type of a domain, through any number of other domains.
       select d.type, d.base from domains d where not exists (select from domains e where e.type = d.base)
        union all
       select d.type, b.base from bases b join domains d on d.base = b.type
), candidates as materialized (
       select c.oid, c.relname, c.relnamespace, c.relkind, c.relispartition, c.reltuples, c.relhasrules, n.nspname
         from pg_class c
         join pg_namespace n on n.oid = c.relnamespace
        where (c.relkind in ('r', 'p', 'f') or c.relkind = 'm' and c.relispopulated)
          and n.nspname <> 'information_schema'
          and n.nspname !~ '^pg_'
          and (n.nspname <> all ($1::text[])
               or exists (select from pg_constraint k
                            join pg_class r on r.oid = k.confrelid
                            join pg_namespace s on s.oid = r.relnamespace
                           where k.conrelid = c.oid and k.contype = 'f' and s.nspname = $2::text))
), parts as materialized (
       select i.indexrelid, i.indrelid, i.indisprimary, i.indnkeyatts, p.place, p.number, p.class
         from pg_index i
        cross join unnest((i.indkey::int2[])[0:i.indnkeyatts - 1], (i.indclass::oid[])[0:i.indnkeyatts - 1])
                   with ordinality as p (number, class, place)
        where i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null
          and i.indrelid in (select c.oid from candidates c)
), classes as materialized (
       select f.oid, format('operator(%I.%s)', n.nspname, o.oprname) as equals
         from pg_opclass f
         join pg_amop s on s.amopfamily = f.opcfamily and s.amopstrategy = 3
                       and s.amoplefttype = f.opcintype and s.amoprighttype = f.opcintype
         join pg_operator o on o.oid = s.amopopr
         join pg_namespace n on n.oid = o.oprnamespace
        where f.oid in (select p.class from parts p)
), keys as (
       select distinct on (k.indrelid) k.indrelid, k.names, k.types, k.operators
         from (select p.indexrelid, min(p.indrelid) as indrelid, bool_or(p.indisprimary) as is_primary,
                      min(p.indnkeyatts) as width,
                      array_agg(p.attname) as names, array_agg(p.type) as types, array_agg(p.equals) as operators
                 from (select p.*, a.attname, a.attnotnull, c.equals,
                              format_type(coalesce(b.base, a.atttypid), -1) as type
                         from parts p
                         join pg_attribute a on a.attrelid = p.indrelid and a.attnum = p.number
                         left join bases b on b.type = a.atttypid
                         join classes c on c.oid = p.class
                        order by p.indexrelid, p.place) p
                group by p.indexrelid
               having bool_and(p.attnotnull)) k
        order by k.indrelid, k.is_primary desc, k.width, k.indexrelid
), policies as (
       -- The tables with a policy that shows every row to this role, and without a restrictive policy.
       select p.polrelid,
              bool_or(p.polpermissive and pg_get_expr(p.polqual, p.polrelid) = 'true') and bool_and(p.polpermissive) as open
         from pg_policy p
        where p.polcmd in ('r', '*')
          and (0 = any (p.polroles) or exists (select from unnest(p.polroles) role where pg_has_role(role, 'usage')))
        group by p.polrelid
), shared as (
       -- Partitioned tables with a partition on another server, at any depth.
       select a.relid::oid as oid
         from candidates c
        cross join pg_partition_ancestors(c.oid) a
        where c.relkind = 'f' and c.relispartition
), distributed as materialized (
       -- The tables whose rows Citus stores on other servers, with their size there; the size is unknown if this role can't read the table.
       -- The size of a shard includes its indexes and its TOAST table, which have some pages even without rows. The catalog tables of Citus
       -- may not exist, so ts_stat() runs the query as a text.
       select split_part(d.word, ' ', 1)::oid as oid, split_part(d.word, ' ', 2)::bigint as size
         from ts_stat(case when to_regclass('pg_catalog.pg_dist_partition') is null then 'select null::tsvector where false'
                           else 'select array_to_tsvector(array_agg(t.oid || '' '' || t.size))
                                   from (select p.logicalrelid::oid as oid,
                                                coalesce(sum(greatest(z.size - 8192 * (2 * i.indexes + (c.reltoastrelid <> 0)::int), 0)), 0)::bigint as size
                                           from pg_catalog.pg_dist_partition p
                                           join pg_catalog.pg_class c on c.oid = p.logicalrelid
                                          cross join lateral (select count(*) as indexes from pg_catalog.pg_index i where i.indrelid = c.oid) i
                                           left join pg_catalog.pg_dist_shard s on s.logicalrelid = p.logicalrelid
                                           left join (select c.shard_id, max(c.size) as size
                                                        from pg_catalog.citus_shard_sizes() c group by 1) z on z.shard_id = s.shardid
                                          group by 1) t' end) d
)
select c.oid,
       c.nspname as schema,
       c.relname as name,
       c.relkind = 'p' as partitioned,
       c.relkind = 'm' as copy,
       c.relhasrules and c.relkind <> 'm' as ruled,
       c.relkind = 'f' as foreign,
       c.relkind = 'p' and c.oid in (select s.oid from shared s) as foreign_parts,
       case when c.relispartition then pg_partition_root(c.oid)::oid end as partition_of,
       greatest(c.reltuples, 0)::bigint as rows,
       coalesce(e.size, z.size) / 8192 as pages,
       c.relkind not in ('p', 'f') and z.size = 0 and e.oid is null as empty,
       e.oid is not null as distributed,
       k.names as key,
       k.types as key_types,
       k.operators as key_operators,
       row_security_active(c.oid) and not coalesce(o.open, false) as secured,
       has_schema_privilege(c.relnamespace, 'usage') and has_any_column_privilege(c.oid, 'select') as readable,
       has_table_privilege(c.oid, 'select') as readable_whole,
       has_any_column_privilege(c.oid, 'insert') as insertable,
       has_any_column_privilege(c.oid, 'update') as updatable,
       has_table_privilege(c.oid, 'delete') as deletable
  from candidates c
  cross join lateral (select case when c.relkind not in ('p', 'f') then pg_relation_size(c.oid) else 0 end as size) z
  left join distributed e on e.oid = c.oid
  left join keys k on k.indrelid = c.oid
  left join policies o on o.polrelid = c.oid
