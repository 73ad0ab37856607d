-- The environment that this database declares; whatever speaks against believing it makes it production. Only a table of the
-- owner is read: behind the name of a stranger's could be a view. The row is locked: if it
-- changed since the snapshot of the transaction, that has to begin again (40001).
create or replace function usher.environment_name() returns text
language plpgsql volatile set search_path = pg_catalog, pg_temp
as $$
begin
    if not exists (
        select from pg_class c
          join pg_namespace n on n.oid = c.relnamespace
          join pg_roles s on s.oid = n.nspowner
          join pg_roles o on o.oid = c.relowner
          join pg_database d on d.datname = current_database()
         where n.nspname = 'usher' and c.relname = 'environment' and c.relkind = 'r'
           and (s.rolsuper or s.oid = d.datdba) and (o.rolsuper or o.oid = d.datdba)) then
        return 'production';
    end if;
    perform from usher.environment for share;
    return coalesce(
        (select min(e.name)
           from usher.environment e
           join pg_control_system() s on s.system_identifier = e.system_identifier
           join pg_database d on d.oid = e.database and d.datname = current_database()
         having count(*) = 1 and (select count(*) from usher.environment) = 1),
        'production');
end
$$;
