-- Every table of the database that can hold rows of a person, with the key that identifies its rows.
with candidates as (
       select c.oid, c.relname, c.relnamespace, c.relkind, c.relispartition, c.reltuples, c.relpages, n.nspname
         from pg_class c
         join pg_namespace n on n.oid = c.relnamespace
        where c.relkind in ('r', 'p')
          and n.nspname not in ('information_schema', 'usher')
          and n.nspname !~ '^pg_'
), keys as (
       select distinct on (i.indrelid) i.indrelid, k.*
         from pg_index i
        cross join lateral (
              select array_agg(a.attname order by p.place) as names,
                     array_agg(format_type(coalesce(nullif(t.typbasetype, 0), t.oid), null) order by p.place) as types,
                     array_agg(format('operator(%I.%s)', m.nspname, o.oprname) order by p.place) as operators
                from unnest((i.indkey::int2[])[0:i.indnkeyatts - 1], (i.indclass::oid[])[0:i.indnkeyatts - 1])
                     with ordinality as p (number, class, place)
                join pg_attribute a on a.attrelid = i.indrelid and a.attnum = p.number
                join pg_type t on t.oid = a.atttypid
                join pg_opclass f on f.oid = p.class
                join pg_amop s on s.amopfamily = f.opcfamily and s.amopstrategy = 3
                              and s.amoplefttype = f.opcintype and s.amoprighttype = f.opcintype
                join pg_operator o on o.oid = s.amopopr
                join pg_namespace m on m.oid = o.oprnamespace
              having bool_and(a.attnotnull)) k
        where i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null
          and i.indrelid in (select c.oid from candidates c)
        order by i.indrelid, i.indisprimary desc, i.indnkeyatts, i.indexrelid
), heirs as (
       select i.inhrelid, array_agg(i.inhparent) as parents from pg_inherits i group by i.inhrelid
)
select c.oid,
       c.nspname as schema,
       c.relname as name,
       c.relkind = 'p' as partitioned,
       case when c.relispartition then pg_partition_root(c.oid)::oid end as partition_of,
       case when c.relispartition then null else h.parents end as inherits,
       greatest(c.reltuples, 0)::bigint as rows,
       z.size / 8192 as pages,
       c.relkind = 'r' and z.size = 0 as empty,
       k.names as key,
       k.types as key_types,
       k.operators as key_operators,
       row_security_active(c.oid) as secured,
       has_schema_privilege(c.relnamespace, 'usage') and has_table_privilege(c.oid, 'select') as readable,
       has_table_privilege(c.oid, 'update') as updatable,
       has_table_privilege(c.oid, 'delete') as deletable
  from candidates c
  cross join lateral (select case when c.relkind = 'r' then pg_relation_size(c.oid) else 0 end as size) z
  left join keys k on k.indrelid = c.oid
  left join heirs h on h.inhrelid = c.oid
