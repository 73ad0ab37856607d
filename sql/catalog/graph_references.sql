-- Every foreign key as it really is: the columns on both sides, the operators it compares with, and what a delete does.
with keys as materialized (
       select k.oid, k.conname, k.conrelid, k.confrelid, k.confdeltype, k.condeferrable, k.conkey, k.confkey,
              k.conpfeqop, k.conppeqop, k.confdelsetcols
         from pg_constraint k
        where k.contype = 'f' and k.conparentid = 0
), operators as materialized (
       select o.oid, format('operator(%I.%s)', n.nspname, o.oprname) as name
         from pg_operator o
         join pg_namespace n on n.oid = o.oprnamespace
        where o.oid in (select unnest(conppeqop) from keys
                         union all
                        select coalesce(nullif(e.oprcom, 0), e.oid)
                          from (select distinct unnest(conpfeqop) as oid from keys) f
                          join pg_operator e on e.oid = f.oid)
), pairs as (
       select u.key,
              array_agg(a.attname order by u.place) as columns,
              array_agg(format_type(coalesce(nullif(t.typbasetype, 0), t.oid), null) order by u.place) as types,
              array_agg(not a.attnotnull and not t.typnotnull and a.attgenerated = '' order by u.place) as fillable,
              array_agg(a.attnotnull or t.typnotnull order by u.place) as required,
              array_agg(b.attname order by u.place) as referenced_columns,
              array_agg(format_type(coalesce(nullif(r.typbasetype, 0), r.oid), null) order by u.place)
                     as referenced_types,
              array_agg(o.name order by u.place) as operators,
              array_agg(q.name order by u.place) as referenced_operators
         from (select keys.oid as key, conrelid, confrelid, u.*
                 from keys
                cross join lateral unnest(conkey, confkey, conpfeqop, conppeqop) with ordinality
                           as u (own, other, equal, same, place)) u
         join pg_attribute a on a.attrelid = u.conrelid and a.attnum = u.own
         join pg_type t on t.oid = a.atttypid
         join pg_attribute b on b.attrelid = u.confrelid and b.attnum = u.other
         join pg_type r on r.oid = b.atttypid
         join pg_operator e on e.oid = u.equal
         join operators o on o.oid = coalesce(nullif(e.oprcom, 0), e.oid)
         join operators q on q.oid = u.same
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
