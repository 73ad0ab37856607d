-- Tests for each of some tables if its policies show every row to the connected role. A table without a policy for this role has no result
-- row.
select p.polrelid as "table",
       bool_or(p.polpermissive and pg_get_expr(p.polqual, p.polrelid) = 'true') and bool_and(p.polpermissive) as open
  from pg_policy p
 where p.polrelid = any (array(select c.oid from pg_class c
                                where c.relname = any ($2::text[])
                                  and c.relnamespace = any (array(select n.oid from pg_namespace n where n.nspname = any ($1::text[])))))
   and p.polcmd in ('r', '*')
   and (0 = any (p.polroles) or exists (select from unnest(p.polroles) role where pg_has_role(role, 'usage')))
 group by p.polrelid
