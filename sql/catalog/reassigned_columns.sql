-- The columns of some tables ($1) that refer to the table of users ($2, with or without a column), with the referenced column. The
-- reference is a foreign key of one column, or a @refers line from $3 to $4.
with wanted as (
    select l.name as "table", c.oid
      from unnest($1::text[]) l (name)
      join pg_namespace n on n.nspname = (parse_ident(l.name))[1]
      join pg_class c on c.relnamespace = n.oid and c.relname = (parse_ident(l.name))[2]
)
select w."table", quote_ident(a.attname) as "column", quote_ident(p.attname) as key
  from wanted w
  join pg_constraint k on k.contype = 'f' and k.conrelid = w.oid and cardinality(k.conkey) = 1
  join pg_class f on f.oid = k.confrelid
  join pg_namespace n on n.oid = f.relnamespace and n.nspname = (parse_ident($2))[1] and f.relname = (parse_ident($2))[2]
  join pg_attribute a on a.attrelid = w.oid and a.attnum = k.conkey[1]
  join pg_attribute p on p.attrelid = k.confrelid and p.attnum = k.confkey[1]
 union
select w."table", quote_ident(a.attname), quote_ident((parse_ident(d.other))[3])
  from wanted w
  join unnest($3::text[], $4::text[]) d (own, other)
    on (parse_ident(d.own))[1:2] = parse_ident(w."table") and d.other not like '%(%'
   and (parse_ident(d.other))[1:2] = (parse_ident($2))[1:2]
  join pg_attribute a on a.attrelid = w.oid and a.attname = (parse_ident(d.own))[3] and not a.attisdropped
 order by 1, 2
