-- Every foreign key: the columns on both sides, the operators that compare them, and the actions ON DELETE and ON UPDATE.
with recursive domains (type, base, required) as materialized (
       select t.oid, t.typbasetype, t.typnotnull from pg_type t where t.typtype = 'd'
), bases (type, base, required) as (
       -- The base type of a domain, through any number of other domains.
       select d.type, d.base, d.required from domains d where not exists (select from domains e where e.type = d.base)
        union all
       select d.type, b.base, d.required or b.required from bases b join domains d on d.base = b.type
), keys as materialized (
       -- The column confdelsetcols exists since Postgres 15, and conenforced since Postgres 18. If pg_constraint doesn't have the column,
       -- its name in the subselect refers to the default from `earlier`.
       select k.*
         from (select null::int2[] as confdelsetcols, true as conenforced) as earlier
        cross join lateral (
              select c.oid, c.conname, c.conrelid, c.confrelid, c.confdeltype, c.confmatchtype, c.conkey,
                     c.confkey, c.conpfeqop, c.conppeqop, confdelsetcols, conenforced
                from pg_constraint c
               where c.contype = 'f' and c.conparentid = 0) as k
), sides as materialized (
       -- One row for each side of a key, so that one join finds the columns of both sides. Most foreign keys have one pair of columns, so
       -- the query uses unnest() only for the others.
       select k.oid as key, 1 as place, true as own, k.conrelid as "table", k.conkey[1] as number, k.conpfeqop[1] as operator
         from keys k
        union all
       select k.oid, 1, false, k.confrelid, k.confkey[1], k.conppeqop[1]
         from keys k
        union all
       select k.oid, s.place + 1, true, k.conrelid, s.number, s.operator
         from keys k cross join unnest(k.conkey[2:], k.conpfeqop[2:]) with ordinality as s (number, operator, place)
        where cardinality(k.conkey) > 1
        union all
       select k.oid, s.place + 1, false, k.confrelid, s.number, s.operator
         from keys k cross join unnest(k.confkey[2:], k.conppeqop[2:]) with ordinality as s (number, operator, place)
        where cardinality(k.conkey) > 1
), attributes as materialized (
       -- With an array, the planner uses the index on pg_attribute. This saves time, because only few columns of a database are in foreign
       -- keys.
       select a.attrelid, a.attnum, a.attname, a.atttypid, a.attgenerated, a.attnotnull
         from pg_attribute a
        where a.attrelid = any (array(select s."table" from sides s)) and a.attnum > 0
), operators as materialized (
       select e.oid, format('operator(%I.%s)', n.nspname, o.oprname) as name,
              format('operator(%I.%s)', m.nspname, e.oprname) as own_name
         from pg_operator e
         join pg_operator o on o.oid = coalesce(nullif(e.oprcom, 0), e.oid)
         join pg_namespace n on n.oid = o.oprnamespace
         join pg_namespace m on m.oid = e.oprnamespace
        where e.oid in (select s.operator from sides s)
), pairs as (
       -- The subquery sorts the columns once for all aggregates. With an inner join, the planner would estimate too few rows and then
       -- choose a nested loop over all rows.
       select u.key,
              array_agg(u.attname) filter (where u.own) as columns,
              array_agg(u.type) filter (where u.own) as types,
              array_agg(not u.required and u.attgenerated = '') filter (where u.own) as fillable,
              array_agg(u.required) filter (where u.own) as required,
              array_agg(u.attname) filter (where not u.own) as referenced_columns,
              array_agg(u.type) filter (where not u.own) as referenced_types,
              array_agg(u.name) filter (where u.own) as operators,
              array_agg(u.own_name) filter (where not u.own) as referenced_operators
         from (select s.key, s.own, a.attname, a.attgenerated,
                      format_type(coalesce(b.base, a.atttypid), -1) as type,
                      a.attnotnull or coalesce(b.required, false) as required,
                      o.name, o.own_name
                 from sides s
                 left join attributes a on a.attrelid = s."table" and a.attnum = s.number
                 left join bases b on b.type = a.atttypid
                 left join operators o on o.oid = s.operator
                order by s.key, s.place) u
        group by u.key
), served as (
       select k.oid as key,
              bool_or((i.indkey::int2[])[0:cardinality(k.conkey) - 1] @> k.conkey
                      and (i.indpred is null
                           or pg_get_expr(i.indpred, i.indrelid) = format('(%I IS NOT NULL)', a.attname))) as indexed,
              bool_or(i.indisunique and i.indpred is null and i.indexprs is null
                      and (i.indkey::int2[])[0:i.indnkeyatts - 1] <@ k.conkey) as single
         from keys k
         left join attributes a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
         join pg_index i on i.indrelid = k.conrelid and i.indisvalid
        group by k.oid
)
select k.oid,
       k.conname as name,
       k.conrelid as "table",
       k.confrelid as referenced,
       -- Without a default, SET DEFAULT has the same effect as SET NULL.
       case when k.confdeltype = 'd'
                 and not exists (select from pg_attrdef d where d.adrelid = k.conrelid and d.adnum = any (k.conkey)) then 'n'
            else k.confdeltype end as action,
       p.columns, p.types, p.fillable, p.required, p.referenced_columns, p.referenced_types, p.operators, p.referenced_operators,
       case when k.confdeltype not in ('n', 'd') or coalesce(cardinality(k.confdelsetcols), 0) = 0 then p.columns
            else array(select p.columns[array_position(k.conkey, s.number)]
                         from unnest(k.confdelsetcols) with ordinality as s (number, place)
                        order by s.place) end as set_columns,
       k.confmatchtype = 'f' as "full",
       coalesce(s.indexed, false) as indexed,
       coalesce(s.single, false) as single,
       k.oid not in (select t.tgconstraint from pg_trigger t where t.tgenabled <> 'O') and k.conenforced as enforced
  from keys k
  join pairs p on p.key = k.oid
  left join served s on s.key = k.oid
 order by k.oid
