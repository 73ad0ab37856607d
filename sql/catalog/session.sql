-- The connected role with its rights, and the database.
select current_user::text as role,
       session_user::text as login,
       current_database()::text as database,
       coalesce(host(inet_server_addr()), 'local socket') as address,
       r.rolsuper as superuser,
       r.rolbypassrls or r.rolsuper as bypasses_row_security,
       pg_backend_pid() as backend,
       current_setting('server_version') as version,
       extract(epoch from clock_timestamp())::float8 as clock
  from pg_roles r
 where r.rolname = current_user
