-- The audit log of this database; no row without the schema usher. The version is NULL if another program created the schema. The query
-- tests if the owner is trusted and if this role has the owner's rights. It also returns the operator rights that this role doesn't have,
-- and its operator roles, with a flag for inherited rights. The query reads only the catalog, because functions of the schema may not
-- exist. Each subselect reads one catalog table, because planning a join takes longer in a new session.
select (select substring(v.prosrc from '[0-9]+')::integer from pg_proc v
         where v.proname = 'version' and v.proargtypes = '' and v.pronamespace = n.oid) as version,
       n.nspowner = (select d.datdba from pg_database d where d.datname = current_database())
       or exists (select from pg_roles o where o.oid = n.nspowner and o.rolsuper) as trusted_owner,
       array(select 'schema' where not has_schema_privilege(n.oid, 'usage')
              union all
             select w.name
               from unnest('{attempt,run,erase}'::text[]) as w (name)
              where w.name <> all (array(select f.proname::text from pg_proc f
                                          where f.proname = any ('{attempt,run,erase}') and f.pronamespace = n.oid
                                            and has_function_privilege(f.oid, 'execute')))
              union all
             select 'operation'
              where not exists (select from pg_class c
                                 where c.relname = 'operation' and c.relnamespace = n.oid
                                   and has_column_privilege(c.oid, 'payload', 'select'))) as withheld,
       -- As in actions, the rights of the login role count, not the rights of a role from SET ROLE.
       pg_has_role(session_user, n.nspowner, 'usage') as owns, quote_ident(session_user) as login,
       array(select array[r.rolname::text, pg_has_role(session_user, r.oid, 'usage')::text]
               from pg_roles r
              where r.rolname = any ('{usher_support,usher_admin,usher_engineer,usher_eraser}')
                and pg_has_role(session_user, r.oid, 'member')) as memberships
  from pg_namespace n
 where n.nspname = 'usher'
