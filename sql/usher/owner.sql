-- Sets the role that will own the schema usher: the owner of the existing schema, else the owner of the database.
do $$
begin
    execute pg_catalog.format('set local role %I', coalesce(
        (select pg_catalog.pg_get_userbyid(n.nspowner) from pg_catalog.pg_namespace n where n.nspname = 'usher'),
        (select pg_catalog.pg_get_userbyid(d.datdba) from pg_catalog.pg_database d
          where d.datname = pg_catalog.current_database())));
end
$$;
