-- The columns of the table with the given name. $1 contains the parts of TABLE[.COLUMN], with or without a schema; the first table that exists
-- counts. The flag `named` shows the column in the name, or else the primary key. A unique column also has its equality operator.
with recursive domains (type, base) as (
       select t.oid, t.typbasetype from pg_type t where t.typtype = 'd'
        union all
       select d.type, t.typbasetype from domains d join pg_type t on t.oid = d.base where t.typtype = 'd'
), bases as materialized (
       -- The base type of a domain, through any number of other domains.
       select d.type, d.base from domains d join pg_type t on t.oid = d.base where t.typtype <> 'd'
), named as materialized (
       select c.oid, n.nspname as schema, c.relname as name, p."column", rank() over (order by p.place) as rank
         from (select $1::text[] as parts) g
        cross join lateral (values (1, parts[1], parts[2], parts[3]), (2, null, parts[1], parts[2]))
                   as p (place, schema, "table", "column")
         join pg_class c on c.relname = p."table"
         join pg_namespace n on n.oid = c.relnamespace and n.nspname = coalesce(p.schema, n.nspname)
        where (p.place = 1 or g.parts[3] is null)
          and (c.relkind in ('r', 'p', 'f') or c.relkind = 'm' and c.relispopulated) and not c.relispartition
          and n.nspname not in ('information_schema', 'usher') and n.nspname !~ '^pg_'
)
select c.schema, c.name as "table", c.oid, a.attname as name,
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
       case when c."column" is not null then a.attname = c."column"
            else exists (select from pg_index i
                          where i.indrelid = a.attrelid and i.indisprimary
                            and i.indnkeyatts = 1 and i.indkey[0] = a.attnum) end as named
  from named c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join bases b on b.type = a.atttypid
 cross join lateral (select exists (select from pg_index i
                                     where i.indrelid = a.attrelid and i.indisunique and i.indisvalid and i.indpred is null
                                       and i.indexprs is null and i.indnkeyatts = 1 and i.indkey[0] = a.attnum) as is_unique) u
 where c.rank = 1
 order by c.oid, a.attnum
