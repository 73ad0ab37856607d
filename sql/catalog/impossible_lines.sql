-- Which lines of an account can never be followed: columns that are to be emptied ($2) and must not be, columns that are to
-- stay ($3) and stand in a foreign key, tables that are to stay ($4) and whose rows must refer to the root ($1). Tables
-- are looked up by their names, since to_regclass() fails where the role may not use a schema.
with relation as (
    select c.oid, array[n.nspname, c.relname]::text[] as parts, format('%I.%I', n.nspname, c.relname) as name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
)
select 'empty' as what, l.place, null as "table"
  from unnest($2::text[]) with ordinality as l (name, place)
  join lateral parse_ident(l.name) as p (parts) on cardinality(p.parts) = 3
  join relation r on r.parts = p.parts[1:2]
  join pg_attribute a on a.attrelid = r.oid and a.attname = p.parts[3]
  join pg_type t on t.oid = a.atttypid
 where a.attnotnull or t.typnotnull or a.attgenerated <> ''
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
  join relation f on f.parts = parse_ident($1)
  join pg_constraint k on k.contype = 'f' and k.conrelid = r.oid and k.confrelid = f.oid
 where not exists (select from pg_attribute a
                    where a.attrelid = k.conrelid and a.attnum = any (k.conkey) and not a.attnotnull)
 order by 1, 2
