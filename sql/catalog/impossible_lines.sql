-- The lines of an @account block that make every deletion fail, for example because a column can't be NULL. $1 is the table of users.
-- Each other parameter is a list with an element for each line:
--
--   $2, $3    the columns with the answer detach, and those with the answer keep
--   $4, $17   the tables of @keep lines, and a flag for lines that apply to all rows
--   $5        the columns after "via"
--   $6        the columns of @refers lines ('' for an expression); $11 has the left side, $12 the right side; $15 is true if the row is
--             deleted with the row that it refers to, and $16 if every row is deleted with the row that it refers to
--   $7, $13   the columns of @set lines, and those of lines without "via" ('' for other lines)
--   $8, $9    both sides of @owns lines
--   $10       the tables whose shared rows stay
--   $14       the columns with an answer but without a target
--   $18       the tables whose rows a deletion must be able to reach
--
-- The query finds tables by name, because to_regclass() fails if the role doesn't have USAGE on the schema.
with recursive relation as (
    select c.oid, array[n.nspname, c.relname]::text[] as parts, format('%I.%I', n.nspname, c.relname) as name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p', 'v', 'm', 'f')
),
-- The foreign keys, and the declared references whose rows are deleted with the referenced row. A reference by an expression has no
-- columns.
reference as (
    select k.conrelid as child, k.confrelid as parent, k.conkey as columns, true as is_key, true as always, k.confdeltype as action
      from pg_constraint k
     where k.contype = 'f'
     union all
    select r.oid, t.oid, case when d.name <> '' then array(select a.attnum from pg_attribute a
                                                            where a.attrelid = r.oid and a.attname = (parse_ident(d.name))[3]) end,
           false, d.always, null
      from unnest($6::text[], $11::text[], $12::text[], $15::bool[], $16::bool[]) d (name, place, target, deletes, always)
      join relation r on r.parts = (parse_ident(split_part(d.place, '(', 1)))[1:2]
      join relation t on t.parts = (parse_ident(split_part(d.target, '(', 1)))[1:2]
     where d.deletes
),
-- The tables that a deletion can reach: the table of users, the tables that refer to it directly or through other tables, and the tables
-- whose rows they own. A partition is reached with its table.
lead as (
    select k.conrelid as child, k.confrelid as parent from pg_constraint k where k.contype = 'f'
     union all
    select i.inhparent, i.inhrelid from pg_inherits i
     union all
    select i.inhrelid, i.inhparent from pg_inherits i
     union all
    select r.oid, t.oid
      from (select * from unnest($11::text[], $12::text[]) union all select * from unnest($9::text[], $8::text[])) d (place, target)
      join relation r on r.parts = (parse_ident(split_part(d.place, '(', 1)))[1:2]
      join relation t on t.parts = (parse_ident(split_part(d.target, '(', 1)))[1:2]
),
reached as (
    select r.oid from relation r where r.parts = parse_ident(nullif($1, ''))
     union
    select l.child from reached t join lead l on l.parent = t.oid
),
-- The references that a deletion can't remove from a row: each column is NOT NULL, is not a list, and has no @set line.
needed as (
    select k.*, r.name
      from reference k
      join relation r on r.oid = k.parent
      join relation c on c.oid = k.child
     where k.columns <> '{}'
       and not exists (select from pg_attribute a join pg_type t on t.oid = a.atttypid
                        where a.attrelid = k.child and a.attnum = any (k.columns)
                          and (not a.attnotnull and not t.typnotnull or not k.is_key and t.typcategory = 'A'
                               or c.parts || a.attname::text in (select parse_ident(s.name) from unnest($7::text[]) s (name))))
),
-- The tables whose rows every deletion deletes: the table of users, and tables without a @keep line whose rows must refer to deleted rows.
going as (
    select r.oid from relation r where r.parts = parse_ident(nullif($1, ''))
     union
    select k.child
      from going g
      join needed k on k.parent = g.oid and k.always
      join relation r on r.oid = k.child
     where r.parts not in (select (parse_ident(l.name))[1:2] from unnest($4::text[] || $7::text[]) l (name))
)
select 'empty' as what, l.place, null as "table"
  from unnest($2::text[]) with ordinality as l (name, place)
  join lateral parse_ident(l.name) as p (parts) on cardinality(p.parts) = 3
  join relation r on r.parts = p.parts[1:2]
  join pg_attribute a on a.attrelid = r.oid and a.attname = p.parts[3]
  join pg_type t on t.oid = a.atttypid
 -- A list column only loses an element, so it doesn't need to be nullable.
 where (a.attnotnull or t.typnotnull) and t.typcategory <> 'A' or a.attgenerated <> ''
 union all
select 'stay', l.place, (select f.name from relation f where f.oid = k.confrelid)
  from unnest($3::text[]) with ordinality as l (name, place)
  join lateral parse_ident(l.name) as p (parts) on cardinality(p.parts) = 3
  join relation r on r.parts = p.parts[1:2]
  join pg_attribute a on a.attrelid = r.oid and a.attname = p.parts[3]
  join pg_constraint k on k.contype = 'f' and k.conrelid = a.attrelid and a.attnum = any (k.conkey)
 union all
select distinct 'keep', l.place, k.name
  from unnest($4::text[], $17::bool[]) with ordinality as l (name, is_all, place)
  join lateral parse_ident(l.name) as p (parts) on cardinality(p.parts) = 2
  join relation r on r.parts = p.parts
  join needed k on k.child = r.oid and (k.always or l.is_all)
  join going g on g.oid = k.parent
 union all
select distinct 'set', l.place, k.name
  from unnest($13::text[]) with ordinality as l (name, place)
  join lateral parse_ident(nullif(l.name, '')) as p (parts) on cardinality(p.parts) = 3
  join relation r on r.parts = p.parts[1:2] and r.parts <> parse_ident(nullif($1, ''))
                     and r.parts not in (select parse_ident(k.name) from unnest($4::text[]) k (name))
  join needed k on k.child = r.oid and k.always
  join going g on g.oid = k.parent
 union all
select case when k.child is null then 'loose' else 'way' end, l.place, min(k.name)
  from unnest($5::text[]) with ordinality as l (name, place)
  join lateral parse_ident(l.name) as p (parts) on cardinality(p.parts) = 3
  join relation r on r.parts = p.parts[1:2]
  join pg_attribute a on a.attrelid = r.oid and a.attname = p.parts[3]
  left join needed k on k.child = r.oid and a.attnum = any (k.columns)
 where k.child is not null
    or not exists (select from pg_constraint f where f.contype = 'f' and f.conrelid = r.oid and a.attnum = any (f.conkey))
       and not exists (select from unnest($6::text[]) d (name) where parse_ident(nullif(d.name, '')) = p.parts)
 group by 1, 2
 union all
select 'aimless', l.place, null
  from unnest($14::text[]) with ordinality as l (name, place)
  join lateral parse_ident(l.name) as p (parts) on cardinality(p.parts) = 3
  join relation r on r.parts = p.parts[1:2]
  join pg_attribute a on a.attrelid = r.oid and a.attname = p.parts[3]
 where not exists (select from pg_constraint k where k.contype = 'f' and k.conrelid = r.oid and a.attnum = any (k.conkey))
   and not exists (select from unnest($6::text[]) d (name) where parse_ident(nullif(d.name, '')) = p.parts)
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
   and not exists (select from unnest($6::text[]) d (name) where parse_ident(nullif(d.name, '')) = p.parts)
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
select 'shared', l.place, min(f.name)
  from unnest($10::text[]) with ordinality as l (name, place)
  join lateral parse_ident(l.name) as p (parts) on cardinality(p.parts) = 2
  join relation r on r.parts = p.parts
  join reference k on k.child = r.oid and (not k.is_key or k.parent in (select g.oid from going g))
  join relation f on f.oid = k.parent
  left join needed n on n.child = k.child and n.parent = k.parent and n.columns = k.columns
 -- A foreign key with SET NULL or SET DEFAULT deletes no row.
 where n.child is not null or k.action is null or k.action not in ('n', 'd')
 group by l.place
having bool_and(n.child is not null)
 union all
select 'idle', l.place, null
  from unnest($18::text[]) with ordinality as l (name, place)
  join relation r on r.parts = parse_ident(l.name) and r.oid not in (select t.oid from reached t)
 order by 1, 2
