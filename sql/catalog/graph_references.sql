-- Every foreign key as it really is: the columns on both sides, the operators it compares with, and what a delete does.
select k.oid,
       k.conname as name,
       k.conrelid as "table",
       k.confrelid as referenced,
       k.confdeltype as action,
       k.condeferrable as deferrable,
       p.columns, p.types, p.fillable, p.required, p.referenced_columns, p.referenced_types, p.operators, p.referenced_operators,
       array(select a.attname
               from unnest(case when cardinality(k.confdelsetcols) > 0 then k.confdelsetcols else k.conkey end)
                    with ordinality as s (number, place)
               join pg_attribute a on a.attrelid = k.conrelid and a.attnum = s.number
              order by s.place) as set_columns,
       array(select coalesce(pg_get_expr(d.adbin, d.adrelid), 'null')
               from unnest(k.conkey) with ordinality as s (number, place)
               left join pg_attrdef d on d.adrelid = k.conrelid and d.adnum = s.number
              order by s.place) as defaults,
       exists (select from pg_index i
                where i.indrelid = k.conrelid and i.indisvalid
                  and (i.indkey::int2[])[0:cardinality(k.conkey) - 1] @> k.conkey
                  and (i.indpred is null
                       or pg_get_expr(i.indpred, i.indrelid) = format('(%I IS NOT NULL)', p.columns[1]))) as indexed,
       exists (select from pg_index i
                where i.indrelid = k.conrelid and i.indisvalid and i.indisunique
                  and i.indpred is null and i.indexprs is null
                  and (i.indkey::int2[])[0:i.indnkeyatts - 1] <@ k.conkey) as single
  from pg_constraint k
 cross join lateral (
       select array_agg(a.attname order by u.place) as columns,
              array_agg(format_type(coalesce(nullif(t.typbasetype, 0), t.oid), null) order by u.place) as types,
              array_agg(not a.attnotnull and not t.typnotnull and a.attgenerated = '' order by u.place) as fillable,
              array_agg(a.attnotnull or t.typnotnull order by u.place) as required,
              array_agg(b.attname order by u.place) as referenced_columns,
              array_agg(format_type(coalesce(nullif(r.typbasetype, 0), r.oid), null) order by u.place)
                     as referenced_types,
              array_agg(format('operator(%I.%s)', n.nspname, o.oprname) order by u.place) as operators,
              array_agg(format('operator(%I.%s)', m.nspname, q.oprname) order by u.place) as referenced_operators
         from unnest(k.conkey, k.confkey, k.conpfeqop, k.conppeqop) with ordinality as u (own, other, equal, same, place)
         join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.own
         join pg_type t on t.oid = a.atttypid
         join pg_attribute b on b.attrelid = k.confrelid and b.attnum = u.other
         join pg_type r on r.oid = b.atttypid
         join pg_operator e on e.oid = u.equal
         join pg_operator o on o.oid = case when e.oprcom = 0 then e.oid else e.oprcom end
         join pg_namespace n on n.oid = o.oprnamespace
         join pg_operator q on q.oid = u.same
         join pg_namespace m on m.oid = q.oprnamespace) p
 where k.contype = 'f'
   and k.conparentid = 0
 order by k.oid
