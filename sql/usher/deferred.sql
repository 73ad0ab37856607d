-- The constraints that are deferred until the commit, as SQL; those alone whose tables belong to the owner of this schema or
-- to a superuser, since their triggers run as the owner when they are fired here.
create or replace function usher.deferred() returns text
language plpgsql stable
as $$
begin
    return (
    select string_agg(distinct quote_ident(n.nspname) || '.' || quote_ident(c.conname), ', ')
      from pg_constraint c
      join pg_namespace n on n.oid = c.connamespace
      join pg_class t on t.oid = c.conrelid
      join pg_roles o on o.oid = t.relowner
     where c.condeferred and n.nspname <> 'usher' and t.relpersistence <> 't'
       and (o.rolsuper or o.rolname = current_user) and has_schema_privilege(n.oid, 'usage'));
end
$$;
