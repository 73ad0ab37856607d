-- Tests if some roles have some privileges, in the given order; NULL for a role that doesn't exist.
select case
       when r.oid is null then null
       when w.privilege = 'usage' and w.name <> '' then
            has_sequence_privilege(r.oid, quote_ident(w.schema) || '.' || quote_ident(w.name), 'usage')
       when w.privilege = 'usage' then has_schema_privilege(r.oid, w.schema, 'usage')
       when w.privilege = 'execute' then has_function_privilege(r.oid, quote_ident(w.schema) || '.' || w.name, 'execute')
       when w."column" <> '' then has_column_privilege(r.oid, c.oid, w."column", w.privilege)
       else has_table_privilege(r.oid, c.oid, w.privilege)
       end as granted
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
       with ordinality as w (role, privilege, schema, name, "column", place)
  left join pg_roles r on r.rolname = w.role
  left join pg_namespace n on n.nspname = w.schema
  left join pg_class c on c.relnamespace = n.oid and c.relname = w.name and w.privilege not in ('usage', 'execute')
 order by w.place
