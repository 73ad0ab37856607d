-- Tables and views by name: how many rows they have about, and what the connected role may know about them.
select c.oid, (select n.nspname from pg_namespace n where n.oid = c.relnamespace) as schema, c.relname as name,
       c.relkind in ('r', 'p', 'm') as stored,
       (case when c.reltuples >= 0 then c.reltuples when c.relkind in ('r', 'm') then pg_relation_size(c.oid) / 200 else 0 end)::bigint as rows,
       has_schema_privilege(c.relnamespace, 'usage') and has_any_column_privilege(c.oid, 'select') as readable,
       row_security_active(c.oid) as secured
  from pg_class c
 where c.relname = any ($2::text[])
   and c.relnamespace = any (array(select n.oid from pg_namespace n where n.nspname = any ($1::text[])))
   and c.relkind in ('r', 'p', 'v', 'm', 'f')
