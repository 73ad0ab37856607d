-- Which lines of an account can never be followed: columns that are to be emptied ($2) and must not be, columns that are to
-- stay ($3) and stand in a foreign key, tables that are to stay ($4) and whose rows must refer to the root ($1) or to what
-- has to go with it, columns by
-- which rows come that are to stay ($5) and that no foreign key could be without, or that lead nowhere, declared references
-- ($6) apart, columns in which somebody is to be made unknown ($7) and that hold no text, columns that are to be overwritten
-- ($8) and that the database alone writes, columns that are to take along ($9) what no foreign key leads to, or the users
-- themselves ($10, each beside its column), and tables whose shared rows are to stay ($11) and refer by nothing but what must
-- not be empty, keys or references ($12 to $13), columns that are to be overwritten ($14) in the row of the root, unless others
-- refer by them to such a row, columns of both kinds ($7, $8) that rows refer to which do not follow them, and texts ($7) in rows
-- that are users. Tables are looked up by their names, since to_regclass() fails where the role may not
-- use a schema.
with recursive relation as (
    select c.oid, array[n.nspname, c.relname]::text[] as parts, format('%I.%I', n.nspname, c.relname) as name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
),
-- What goes for certain: the root, and what must refer to something that goes and that no line keeps.
going as (
    select r.oid from relation r where r.parts = parse_ident(nullif($1, ''))
     union
    select k.conrelid
      from going g
      join pg_constraint k on k.contype = 'f' and k.confrelid = g.oid
     where k.conrelid not in (select r.oid from unnest($4::text[]) l (name) join relation r on r.parts = parse_ident(l.name))
       and not exists (select from pg_attribute a join pg_type t on t.oid = a.atttypid
                        where a.attrelid = k.conrelid and a.attnum = any (k.conkey) and not a.attnotnull and not t.typnotnull)
)
select 'empty' as what, l.place, null as "table"
  from unnest($2::text[]) with ordinality as l (name, place)
  join lateral parse_ident(l.name) as p (parts) on cardinality(p.parts) = 3
  join relation r on r.parts = p.parts[1:2]
  join pg_attribute a on a.attrelid = r.oid and a.attname = p.parts[3]
  join pg_type t on t.oid = a.atttypid
 -- Out of a list one element goes, and the rest stays.
 where (a.attnotnull or t.typnotnull) and t.typcategory <> 'A' or a.attgenerated <> ''
 union all
select 'stay', l.place, (select f.name from relation f where f.oid = k.confrelid)
  from unnest($3::text[]) with ordinality as l (name, place)
  join lateral parse_ident(l.name) as p (parts) on cardinality(p.parts) = 3
  join relation r on r.parts = p.parts[1:2]
  join pg_attribute a on a.attrelid = r.oid and a.attname = p.parts[3]
  join pg_constraint k on k.contype = 'f' and k.conrelid = a.attrelid and a.attnum = any (k.conkey)
 union all
select distinct 'keep', l.place, f.name
  from unnest($4::text[]) with ordinality as l (name, place)
  join lateral parse_ident(l.name) as p (parts) on cardinality(p.parts) = 2
  join relation r on r.parts = p.parts
  join going g on true
  join relation f on f.oid = g.oid
  join pg_constraint k on k.contype = 'f' and k.conrelid = r.oid and k.confrelid = f.oid
 where not exists (select from pg_attribute a join pg_type t on t.oid = a.atttypid
                    where a.attrelid = k.conrelid and a.attnum = any (k.conkey) and not a.attnotnull and not t.typnotnull)
 union all
select case when k.oid is null then 'loose' else 'way' end, l.place, min(f.name)
  from unnest($5::text[]) with ordinality as l (name, place)
  join lateral parse_ident(l.name) as p (parts) on cardinality(p.parts) = 3
  join relation r on r.parts = p.parts[1:2]
  join pg_attribute a on a.attrelid = r.oid and a.attname = p.parts[3]
  left join pg_constraint k on k.contype = 'f' and k.conrelid = r.oid and a.attnum = any (k.conkey)
  left join relation f on f.oid = k.confrelid
 where case when k.oid is null then not exists (select from unnest($6::text[]) d (name) where parse_ident(d.name) = p.parts)
            else not exists (select from pg_attribute b
                              where b.attrelid = k.conrelid and b.attnum = any (k.conkey) and not b.attnotnull) end
 group by 1, 2
 union all
select 'text', l.place, format_type(a.atttypid, a.atttypmod)
  from unnest($7::text[]) with ordinality as l (name, place)
  join lateral parse_ident(l.name) as p (parts) on cardinality(p.parts) = 3
  join relation r on r.parts = p.parts[1:2]
  join pg_attribute a on a.attrelid = r.oid and a.attname = p.parts[3]
  join pg_type t on t.oid = a.atttypid
 where (t.typcategory <> 'S' and coalesce((select b.typcategory from pg_type b where b.oid = t.typbasetype), '') <> 'S'
        and coalesce(nullif(t.typbasetype, 0), t.oid) <> all ('{json,jsonb}'::regtype[]))
    or a.attgenerated <> ''
 union all
select 'generated', l.place, null
  from unnest($8::text[]) with ordinality as l (name, place)
  join lateral parse_ident(l.name) as p (parts) on cardinality(p.parts) = 3
  join relation r on r.parts = p.parts[1:2]
  join pg_attribute a on a.attrelid = r.oid and a.attname = p.parts[3]
 where a.attgenerated <> '' or a.attidentity = 'a'
 union all
select 'own', l.place, null
  from unnest($14::text[]) with ordinality as l (name, place)
  join lateral parse_ident(nullif(l.name, '')) as p (parts) on cardinality(p.parts) = 3
  join relation r on r.parts = p.parts[1:2] and r.parts = parse_ident(nullif($1, ''))
  join pg_attribute a on a.attrelid = r.oid and a.attname = p.parts[3]
 where not exists (select from pg_constraint k where k.contype = 'f' and k.conrelid = r.oid and a.attnum = any (k.conkey))
   and not exists (select from unnest($6::text[]) d (name) where parse_ident(d.name) = p.parts)
 union all
select 'people', l.place, null
  from unnest($7::text[]) with ordinality as l (name, place)
  join lateral parse_ident(l.name) as p (parts) on cardinality(p.parts) = 3
  join relation r on r.parts = p.parts[1:2]
  join relation o on o.parts = parse_ident(nullif($1, ''))
 where r.oid = o.oid
    or exists (select from pg_constraint k
                 join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1] and a.attnotnull
                 join pg_index i on i.indrelid = k.conrelid and i.indisunique and i.indnkeyatts = 1
                                and i.indkey[0] = k.conkey[1] and i.indpred is null
                where k.contype = 'f' and k.conrelid = r.oid and k.confrelid = o.oid and cardinality(k.conkey) = 1)
 union all
select o.what, o.place, min(f.name)
  from (select 'held', l.place, l.name from unnest($8::text[]) with ordinality as l (name, place)
         union all
        select 'fast', l.place, l.name from unnest($7::text[]) with ordinality as l (name, place)) as o (what, place, name)
  join lateral parse_ident(o.name) as p (parts) on cardinality(p.parts) = 3
  join relation r on r.parts = p.parts[1:2]
  join pg_attribute a on a.attrelid = r.oid and a.attname = p.parts[3]
  join pg_constraint k on k.contype = 'f' and k.confrelid = r.oid and a.attnum = any (k.confkey)
        and k.confupdtype in ('a', 'r') and not (k.condeferred and k.confupdtype = 'a')
        and coalesce((to_jsonb(k) ->> 'conenforced')::boolean, true)
  join relation f on f.oid = k.conrelid
 group by 1, 2
 union all
select case when k.oid is null then 'owns' else 'users' end, l.place, l.target
  from unnest($9::text[], $10::text[]) with ordinality as l (name, target, place)
 cross join lateral (select parse_ident(l.name) as own, parse_ident(l.target) as other) p
  join relation r on r.parts = p.own[1:2]
  join relation t on t.parts = p.other[1:2]
  join pg_attribute a on a.attrelid = r.oid and a.attname = p.own[3]
  join pg_attribute b on b.attrelid = t.oid and b.attname = p.other[3]
  left join pg_constraint k on k.contype = 'f' and k.conrelid = r.oid and k.confrelid = t.oid
        and k.conkey = array[a.attnum] and k.confkey = array[b.attnum]
 where k.oid is null or t.parts = parse_ident($1)
 union all
select 'shared', l.place, min(k.parent)
  from unnest($11::text[]) with ordinality as l (name, place)
  join lateral parse_ident(l.name) as p (parts) on cardinality(p.parts) = 2
  join relation r on r.parts = p.parts
  join lateral (
       select f.name, k.conkey
         from pg_constraint k
         join going g on g.oid = k.confrelid
         join relation f on f.oid = g.oid
        where k.contype = 'f' and k.conrelid = r.oid
          -- What the key itself empties takes no row along.
          and not (k.confdeltype in ('n', 'd')
                   and exists (select from pg_attribute a join pg_type t on t.oid = a.atttypid
                                where a.attrelid = r.oid and a.attnum = any (k.conkey) and not a.attnotnull and not t.typnotnull))
        union all
       -- What an expression refers with may be empty, as far as anybody knows.
       select d.target, case when d.name not like '%(%' then array(select a.attnum from pg_attribute a
                                                                    where a.attrelid = r.oid and a.attname = (parse_ident(d.name))[3]) end
         from unnest($12::text[], $13::text[]) d (name, target)
        where (parse_ident(split_part(d.name, '(', 1)))[1:2] = p.parts) k (parent, columns) on true
 group by l.place, r.oid
having bool_and(k.columns is not null
            and not exists (select from pg_attribute a join pg_type t on t.oid = a.atttypid
                             where a.attrelid = r.oid and a.attnum = any (k.columns) and not a.attnotnull and not t.typnotnull))
 order by 1, 2
