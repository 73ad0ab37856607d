-- Tables ($1, $2) of which row security keeps rows from the connected role when it changes or deletes them.
select n.nspname || '.' || c.relname as "table", current_user::text as role
  from unnest($1::text[], $2::text[]) as w (schema, name)
  join pg_namespace n on n.nspname = w.schema
  join pg_class c on c.relnamespace = n.oid and c.relname = w.name
 where row_security_active(c.oid)
   and not (exists (select from pg_policy p
                     where p.polrelid = c.oid and p.polpermissive and p.polcmd in ('w', '*')
                       and pg_get_expr(p.polqual, p.polrelid) = 'true'
                       and (0 = any (p.polroles)
                            or exists (select from unnest(p.polroles) role where pg_has_role(role, 'usage'))))
            and not exists (select from pg_policy p
                             where p.polrelid = c.oid and not p.polpermissive and p.polcmd in ('w', 'd', '*')
                               and (0 = any (p.polroles)
                                    or exists (select from unnest(p.polroles) role where pg_has_role(role, 'usage')))))
 group by 1, 2
 order by 1
