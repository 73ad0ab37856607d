-- Lines of an account that a deletion can never follow: columns to be emptied ($2) that must not be, columns to be kept ($3) that
-- a foreign key uses, tables to be kept ($4) whose rows must refer to the root ($1) or to what is deleted with it, columns behind
-- "via" ($5) that no foreign key can be without or that lead nowhere, declared references ($6) apart, columns to be set ($7) that
-- only the database writes or that others refer to without following, columns that own ($8) what no foreign key leads to or the
-- users themselves ($9, each beside its column), tables whose shared rows stay ($10) and refer only by what must not be empty, keys
-- or references ($11 to $12), columns to be set ($13) in the user's own row, unless others refer by them to such a row, and columns
-- with an answer ($14) that no foreign key and no line leads from.
-- Tables are looked up by their names, since to_regclass() fails where the role may not use a schema.
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
select 'aimless', l.place, null
  from unnest($14::text[]) with ordinality as l (name, place)
  join lateral parse_ident(l.name) as p (parts) on cardinality(p.parts) = 3
  join relation r on r.parts = p.parts[1:2]
  join pg_attribute a on a.attrelid = r.oid and a.attname = p.parts[3]
 where not exists (select from pg_constraint k where k.contype = 'f' and k.conrelid = r.oid and a.attnum = any (k.conkey))
   and not exists (select from unnest($6::text[]) d (name) where parse_ident(d.name) = p.parts)
 union all
select 'generated', l.place, null
  from unnest($7::text[]) with ordinality as l (name, place)
  join lateral parse_ident(l.name) as p (parts) on cardinality(p.parts) = 3
  join relation r on r.parts = p.parts[1:2]
  join pg_attribute a on a.attrelid = r.oid and a.attname = p.parts[3]
 where a.attgenerated <> '' or a.attidentity = 'a'
 union all
select 'own', l.place, null
  from unnest($13::text[]) with ordinality as l (name, place)
  join lateral parse_ident(nullif(l.name, '')) as p (parts) on cardinality(p.parts) = 3
  join relation r on r.parts = p.parts[1:2] and r.parts = parse_ident(nullif($1, ''))
  join pg_attribute a on a.attrelid = r.oid and a.attname = p.parts[3]
 where not exists (select from pg_constraint k where k.contype = 'f' and k.conrelid = r.oid and a.attnum = any (k.conkey))
   and not exists (select from unnest($6::text[]) d (name) where parse_ident(d.name) = p.parts)
 union all
select 'held', l.place, min(f.name)
  from unnest($7::text[]) with ordinality as l (name, place)
  join lateral parse_ident(l.name) as p (parts) on cardinality(p.parts) = 3
  join relation r on r.parts = p.parts[1:2]
  join pg_attribute a on a.attrelid = r.oid and a.attname = p.parts[3]
  join pg_constraint k on k.contype = 'f' and k.confrelid = r.oid and a.attnum = any (k.confkey)
        and k.confupdtype in ('a', 'r') and not (k.condeferred and k.confupdtype = 'a')
        and coalesce((to_jsonb(k) ->> 'conenforced')::boolean, true)
  join relation f on f.oid = k.conrelid
 group by 1, 2
 union all
select case when k.oid is null then 'owns' else 'users' end, l.place, l.target
  from unnest($8::text[], $9::text[]) with ordinality as l (name, target, place)
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
  from unnest($10::text[]) with ordinality as l (name, place)
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
         from unnest($11::text[], $12::text[]) d (name, target)
        where (parse_ident(split_part(d.name, '(', 1)))[1:2] = p.parts) k (parent, columns) on true
 group by l.place, r.oid
having bool_and(k.columns is not null
            and not exists (select from pg_attribute a join pg_type t on t.oid = a.atttypid
                             where a.attrelid = r.oid and a.attnum = any (k.columns) and not a.attnotnull and not t.typnotnull))
 order by 1, 2
