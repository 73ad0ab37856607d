-- Whether the connected operator may read every row and every column of a table, none of which is declared secret. Columns of a
-- partition are declared and granted where its parent is, so nobody may see it by its own name.
create or replace function usher.may_see(app jsonb, schema text, relation text) returns boolean
language sql stable
as $$
    select exists (
        select from pg_class c
          join pg_namespace n on n.oid = c.relnamespace
          join pg_roles r on r.rolname = session_user
         where n.nspname = may_see.schema and c.relname = may_see.relation
           and not exists (select from pg_inherits i where i.inhrelid = c.oid)
           and (not c.relrowsecurity or r.rolsuper or r.rolbypassrls)
           and not exists (
               select from pg_attribute a
                where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                  and (not has_column_privilege(r.oid, c.oid, a.attnum, 'select')
                       or exists (select from jsonb_array_elements_text(may_see.app -> 'secrets') s (path)
                                   where parse_ident(s.path) = array[n.nspname, c.relname, a.attname]::text[]))))
$$;
