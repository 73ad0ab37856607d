-- The tables, views and other relations with the given names, each with the estimated number of rows and its columns among those in $3.
-- Each column has its number, type and collation. Flags show if the connected role can read the relation and the column, and if row security
-- may hide rows from the role: no policy shows every row, or a restrictive policy applies.
--
-- The query compares only values of the same type. In a new session, looking up operators and planning for many constants takes longer than
-- reading the catalog.
select c.oid, (select n.nspname from pg_namespace n where n.oid = c.relnamespace) as schema, c.relname as name, c.relkind as kind,
       c.reltuples as rows,
       case when c.reltuples < '0' then
            case when c.relkind = any ('{r,m}') then pg_relation_size(c.oid)
                 when c.relkind = 'p' then (select sum(pg_relation_size(p.relid)) from pg_partition_tree(c.oid) p)::bigint end end as bytes,
       has_schema_privilege(c.relnamespace, 'usage') and has_any_column_privilege(c.oid, 'select') as readable,
       row_security_active(c.oid)
           and (select bool_or(p.polpermissive and pg_get_expr(p.polqual, p.polrelid) = 'true') and bool_and(p.polpermissive)
                  from pg_policy p
                 where p.polrelid = c.oid and p.polcmd = any ('{r,*}')
                   and ('0' = any (p.polroles) or exists (select from unnest(p.polroles) role where pg_has_role(role, 'usage')))
               ) is not true as hides_rows,
       array(select array[a.attname::text, a.attnum::text, format_type(a.atttypid, -1), a.attcollation::text,
                          has_column_privilege(a.attrelid, a.attnum, 'select')::text]
               from pg_attribute a
              where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                and a.attname::text = any ((select $3::text[])::text[])) as columns
  from pg_class c
 where c.relname = any ($2::text[])
   and c.relnamespace = any (array(select n.oid from pg_namespace n where n.nspname = any ($1::text[])))
