-- Every foreign key as it really is: the columns on both sides, the operators it compares with, and what a delete does.
with recursive domains (type, base) as (
       select t.oid, t.typbasetype from pg_type t where t.typtype = 'd'
        union all
       select d.type, t.typbasetype from domains d join pg_type t on t.oid = d.base where t.typtype = 'd'
), bases as materialized (
       -- What a domain stands for, however many others lie between.
       select d.type, d.base from domains d join pg_type t on t.oid = d.base where t.typtype <> 'd'
), keys as materialized (
       select k.oid, k.conname, k.conrelid, k.confrelid, k.confdeltype, k.condeferrable, k.conkey, k.confkey,
              k.conpfeqop, k.conppeqop, k.confdelsetcols
         from pg_constraint k
        where k.contype = 'f' and k.conparentid = 0
), parts as materialized (
       select k.oid as key, k.conrelid, k.confrelid, generate_subscripts(k.conkey, 1) as place,
              unnest(k.conkey) as own, unnest(k.confkey) as other, unnest(k.conpfeqop) as equal, unnest(k.conppeqop) as same
         from keys k
), operators as materialized (
       select e.oid, format('operator(%I.%s)', n.nspname, o.oprname) as name,
              format('operator(%I.%s)', m.nspname, e.oprname) as own_name
         from pg_operator e
         join pg_operator o on o.oid = coalesce(nullif(e.oprcom, 0), e.oid)
         join pg_namespace n on n.oid = o.oprnamespace
         join pg_namespace m on m.oid = e.oprnamespace
        where e.oid in (select p.equal from parts p union select p.same from parts p)
), pairs as (
       -- Sorted once, and not again for each list.
       select u.key,
              array_agg(u.attname) as columns,
              array_agg(u.type) as types,
              array_agg(u.fillable) as fillable,
              array_agg(u.required) as required,
              array_agg(u.other_name) as referenced_columns,
              array_agg(u.other_type) as referenced_types,
              array_agg(u.operator) as operators,
              array_agg(u.same_operator) as referenced_operators
         from (select p.key,
                      a.attname,
                      format_type(coalesce(x.base, a.atttypid), -1) as type,
                      not a.attnotnull and not t.typnotnull and a.attgenerated = '' as fillable,
                      a.attnotnull or t.typnotnull as required,
                      b.attname as other_name,
                      format_type(coalesce(y.base, b.atttypid), -1) as other_type,
                      e.name as operator,
                      s.own_name as same_operator
                 from parts p
                 join pg_attribute a on a.attrelid = p.conrelid and a.attnum = p.own
                 join pg_type t on t.oid = a.atttypid
                 left join bases x on x.type = a.atttypid
                 join pg_attribute b on b.attrelid = p.confrelid and b.attnum = p.other
                 left join bases y on y.type = b.atttypid
                 join operators e on e.oid = p.equal
                 join operators s on s.oid = p.same
                order by p.key, p.place) u
        group by u.key
), served as (
       select k.oid as key,
              bool_or((i.indkey::int2[])[0:cardinality(k.conkey) - 1] @> k.conkey
                      and (i.indpred is null
                           or pg_get_expr(i.indpred, i.indrelid)
                              = format('(%I IS NOT NULL)', (select a.attname from pg_attribute a
                                                             where a.attrelid = k.conrelid and a.attnum = k.conkey[1]))))
                  as indexed,
              bool_or(i.indisunique and i.indpred is null and i.indexprs is null
                      and (i.indkey::int2[])[0:i.indnkeyatts - 1] <@ k.conkey) as single
         from keys k
         join pg_index i on i.indrelid = k.conrelid and i.indisvalid
        group by k.oid
)
select k.oid,
       k.conname as name,
       k.conrelid as "table",
       k.confrelid as referenced,
       k.confdeltype as action,
       k.condeferrable as deferrable,
       p.columns, p.types, p.fillable, p.required, p.referenced_columns, p.referenced_types, p.operators, p.referenced_operators,
       case when k.confdeltype not in ('n', 'd') or coalesce(cardinality(k.confdelsetcols), 0) = 0 then p.columns
            else array(select a.attname
                         from unnest(k.confdelsetcols) with ordinality as s (number, place)
                         join pg_attribute a on a.attrelid = k.conrelid and a.attnum = s.number
                        order by s.place) end as set_columns,
       case when k.confdeltype = 'd'
            then array(select coalesce(pg_get_expr(d.adbin, d.adrelid), 'null')
                         from unnest(k.conkey) with ordinality as s (number, place)
                         left join pg_attrdef d on d.adrelid = k.conrelid and d.adnum = s.number
                        order by s.place) end as defaults,
       coalesce(s.indexed, false) as indexed,
       coalesce(s.single, false) as single,
       not exists (select from pg_trigger t where t.tgconstraint = k.oid and t.tgenabled <> 'O') as enforced
  from keys k
  join pairs p on p.key = k.oid
  left join served s on s.key = k.oid
 order by k.oid
