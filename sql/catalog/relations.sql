-- What the connected role may know about relations and columns: whether they exist, may be read, and show every row.
select wanted.schema, wanted.name, wanted."column",
       c.oid is not null as exists,
       wanted."column" = '' or a.attnum is not null as has_column,
       coalesce(has_schema_privilege(n.oid, 'usage') and has_any_column_privilege(c.oid, 'select'), false) as readable,
       coalesce(row_security_active(c.oid), false) as secured,
       exists (select from pg_policy p
                where p.polrelid = c.oid and p.polpermissive and p.polcmd in ('r', '*')
                  and pg_get_expr(p.polqual, p.polrelid) = 'true'
                  and (0 = any (p.polroles)
                       or exists (select from unnest(p.polroles) role where pg_has_role(role, 'usage'))))
       and not exists (select from pg_policy p
                        where p.polrelid = c.oid and not p.polpermissive and p.polcmd in ('r', '*')
                          and (0 = any (p.polroles)
                               or exists (select from unnest(p.polroles) role where pg_has_role(role, 'usage')))) as open
  from unnest($1::text[], $2::text[], $3::text[]) as wanted (schema, name, "column")
  left join pg_namespace n on n.nspname = wanted.schema
  left join pg_class c on c.relnamespace = n.oid and c.relname = wanted.name and c.relkind in ('r', 'p', 'v', 'm', 'f')
  left join pg_attribute a on a.attrelid = c.oid and a.attname = wanted."column" and a.attnum > 0 and not a.attisdropped
