-- Indexes of the given tables that find an address by its beginning, and by which order they do.
select n.nspname as schema, c.relname as name, a.attname as "column", key.definition <> quote_ident(a.attname) as lowered,
       o.opcname like '%pattern\_ops' as bytewise
  from unnest($1::text[], $2::text[]) as wanted (schema, name)
  join pg_namespace n on n.nspname = wanted.schema
  join pg_class c on c.relnamespace = n.oid and c.relname = wanted.name
  join pg_index i on i.indrelid = c.oid and i.indisvalid and i.indpred is null
  join pg_class x on x.oid = i.indexrelid
  join pg_am m on m.oid = x.relam and m.amname = 'btree'
  join pg_opclass o on o.oid = i.indclass[0]
 cross join regexp_replace(pg_get_indexdef(i.indexrelid, 1, true), '[()]', '', 'g') as key (definition)
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and a.attname ~* 'mail'
   and key.definition in (quote_ident(a.attname), 'lower' || quote_ident(a.attname), 'lower' || quote_ident(a.attname) || '::text')
 where has_column_privilege(c.oid, a.attnum, 'select')
 order by lowered desc, bytewise
