-- The columns of the tables with the given names ($1), with a flag for unique columns. A unique column also has its equality operator.
with recursive domains (type, base) as (
       select t.oid, t.typbasetype from pg_type t where t.typtype = 'd'
        union all
       select d.type, t.typbasetype from domains d join pg_type t on t.oid = d.base where t.typtype = 'd'
), bases as materialized (
       -- The base type of a domain, through any number of other domains.
       select d.type, d.base from domains d join pg_type t on t.oid = d.base where t.typtype <> 'd'
)
select n.nspname as schema, c.relname as "table", c.oid, a.attname as name,
       format_type(coalesce(b.base, a.atttypid), -1) as type,
       coalesce(case when u.is_unique then (select format('operator(%I.%s)', n.nspname, o.oprname)
          from pg_opclass c
          join pg_am m on m.oid = c.opcmethod and m.amname = 'btree'
          join pg_amop s on s.amopfamily = c.opcfamily and s.amoplefttype = c.opcintype and s.amoprighttype = c.opcintype
                        and s.amopstrategy = 3
          join pg_operator o on o.oid = s.amopopr
          join pg_namespace n on n.oid = o.oprnamespace
         where c.opcdefault and c.opcintype = coalesce(b.base, a.atttypid)) end,
           'operator(pg_catalog.=)') as equals,
       u.is_unique as "unique",
       exists (select from pg_index i
                where i.indrelid = a.attrelid and i.indisprimary
                  and i.indnkeyatts = 1 and i.indkey[0] = a.attnum) as "primary"
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join bases b on b.type = a.atttypid
 cross join lateral (select exists (select from pg_index i
                                     where i.indrelid = a.attrelid and i.indisunique and i.indisvalid and i.indpred is null
                                       and i.indexprs is null and i.indnkeyatts = 1 and i.indkey[0] = a.attnum) as is_unique) u
 where c.relname = any ($1::text[])
   and (c.relkind in ('r', 'p', 'f') or c.relkind = 'm' and c.relispopulated) and not c.relispartition
   and n.nspname not in ('information_schema', 'usher') and n.nspname !~ '^pg_'
 order by c.oid, a.attnum
