-- Every table of the database that can hold rows of a person, with the key that identifies its rows.
select c.oid,
       n.nspname as schema,
       c.relname as name,
       c.relkind = 'p' as partitioned,
       case when c.relispartition then pg_partition_root(c.oid)::oid end as partition_of,
       array(select i.inhparent from pg_inherits i where i.inhrelid = c.oid and not c.relispartition) as inherits,
       greatest(c.reltuples, 0)::bigint as rows,
       c.relpages as pages,
       k.names as key,
       k.types as key_types,
       k.operators as key_operators,
       row_security_active(c.oid) as secured,
       has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select') as readable,
       has_table_privilege(c.oid, 'update') as updatable,
       has_table_privilege(c.oid, 'delete') as deletable
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  left join lateral (
       select array_agg(a.attname order by p.place) as names,
              array_agg(format_type(coalesce(nullif(t.typbasetype, 0), t.oid), null) order by p.place) as types,
              array_agg(format('operator(%I.%s)', m.nspname, o.oprname) order by p.place) as operators
         from pg_index i
        cross join lateral unnest((i.indkey::int2[])[0:i.indnkeyatts - 1], (i.indclass::oid[])[0:i.indnkeyatts - 1])
                    with ordinality as p (number, class, place)
         join pg_attribute a on a.attrelid = i.indrelid and a.attnum = p.number
         join pg_type t on t.oid = a.atttypid
         join pg_opclass f on f.oid = p.class
         join pg_amop s on s.amopfamily = f.opcfamily and s.amopstrategy = 3
                       and s.amoplefttype = f.opcintype and s.amoprighttype = f.opcintype
         join pg_operator o on o.oid = s.amopopr
         join pg_namespace m on m.oid = o.oprnamespace
        where i.indrelid = c.oid
          and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null
        group by i.indexrelid, i.indisprimary
       having bool_and(a.attnotnull)
        order by i.indisprimary desc, count(*), i.indexrelid
        limit 1) k on true
 where c.relkind in ('r', 'p')
   and n.nspname not in ('information_schema', 'usher')
   and n.nspname !~ '^pg_'
