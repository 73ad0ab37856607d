-- The names of the hosting service and of the pooler, with advice for the operator. usher recognizes them by settings, by the host ($1) and
-- by the port ($2).
select e.kind, e.name, e.follows
  from (values
         ('engine', 'Supabase', 'supautils.%', '%.supabase.co', null,
          'the role postgres owns the tables and can install usher; it isn''t a superuser'),
         ('engine', 'Amazon RDS or Aurora', 'rds.%', '%.rds.amazonaws.com', null,
          'rds_superuser isn''t a superuser; install usher as the owner of the tables'),
         ('engine', 'Neon', 'neon.%', '%.neon.tech', null,
          'a suspended server answers the first query late'),
         ('engine', 'AlloyDB', 'alloydb.%', null, null,
          'alloydbsuperuser isn''t a superuser; install usher as the owner of the tables'),
         ('engine', 'Cloud SQL', 'cloudsql.%', null, null,
          'cloudsqlsuperuser isn''t a superuser; install usher as the owner of the tables'),
         ('engine', 'Azure Database', 'azure.%', '%.postgres.database.azure.com', null,
          'azure_pg_admin isn''t a superuser; install usher as the owner of the tables'),
         ('engine', 'Crunchy Bridge', 'crunchy.%', '%.postgresbridge.com', null, null),
         ('engine', 'TimescaleDB', 'timescaledb.%', null, null, null),
         ('engine', 'Render', null, '%.render.com', null,
          'its only role owns the tables and can install usher; it isn''t a superuser'),
         ('engine', 'Railway', null, '%.rlwy.net', null,
          'the role postgres is a superuser, so give operators their own roles'),
         ('engine', 'Railway', null, '%.railway.internal', null,
          'the role postgres is a superuser, so give operators their own roles'),
         ('pooler', 'Supavisor', null, '%.pooler.supabase.com', '6543',
          'this port pools transactions: settings, advisory locks, LISTEN and prepared statements end with the transaction; '
          || 'use port 5432 to keep them for a session'),
         ('pooler', 'Supavisor', null, '%.pooler.supabase.com', '5432',
          'this port pools sessions, and each session occupies a server connection; port 6543 pools transactions, which is enough for usher'),
         ('pooler', 'PgBouncer of Supabase', null, '%.supabase.co', '6543',
          'this port pools transactions: settings, advisory locks, LISTEN and prepared statements end with the transaction; '
          || 'use port 5432, which connects to the server itself, to keep them for a session'),
         ('pooler', 'PgBouncer of Neon', null, '%-pooler.%.neon.tech', null,
          'this host pools transactions: settings, advisory locks and LISTEN end with the transaction; '
          || 'use the host name without -pooler, which connects to the server itself, to keep them for a session'),
         ('pooler', 'PgBouncer of Azure', null, '%.postgres.database.azure.com', '6432',
          'this port pools transactions by default; port 5432 connects to the server itself'),
         ('pooler', 'RDS Proxy', null, '%.proxy-%.rds.amazonaws.com', null,
          'the proxy pins a server connection to a session that changes settings; usher doesn''t change session settings')
       ) as e (kind, name, settings, host, port, follows)
 where $1::text like e.host and (e.port is null or e.port = $2::text)
    or exists (select from pg_catalog.pg_settings s where s.name like e.settings)
