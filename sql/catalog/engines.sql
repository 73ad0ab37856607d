-- The names of the server and of a pooler, from settings, from the host ($1) and from the port ($2), and the consequences.
select e.kind, e.name, e.follows
  from (values
         ('engine', 'Supabase', 'supautils.%', '%.supabase.co', null,
          'the role postgres owns the tables and installs; it is no superuser'),
         ('engine', 'Amazon RDS or Aurora', 'rds.%', '%.rds.amazonaws.com', null,
          'rds_superuser is no superuser; the owner of the tables installs'),
         ('engine', 'Neon', 'neon.%', '%.neon.tech', null,
          'a server that sleeps answers its first question late'),
         ('engine', 'AlloyDB', 'alloydb.%', null, null,
          'alloydbsuperuser is no superuser; the owner of the tables installs'),
         ('engine', 'Cloud SQL', 'cloudsql.%', null, null,
          'cloudsqlsuperuser is no superuser; the owner of the tables installs'),
         ('engine', 'Azure Database', 'azure.%', '%.postgres.database.azure.com', null,
          'azure_pg_admin is no superuser; the owner of the tables installs'),
         ('engine', 'Crunchy Bridge', 'crunchy.%', '%.postgresbridge.com', null, null),
         ('engine', 'TimescaleDB', 'timescaledb.%', null, null, null),
         ('engine', 'Render', null, '%.render.com', null,
          'its one user owns the tables and installs; it is no superuser'),
         ('engine', 'Railway', null, '%.rlwy.net', null,
          'the user postgres is a superuser, so operators want roles of their own'),
         ('engine', 'Railway', null, '%.railway.internal', null,
          'the user postgres is a superuser, so operators want roles of their own'),
         ('pooler', 'Supavisor', null, '%.pooler.supabase.com', '6543',
          'this port hands out transactions, behind which no setting, advisory lock, LISTEN or prepared statement of a session '
          || 'lasts; use port 5432 for these'),
         ('pooler', 'Supavisor', null, '%.pooler.supabase.com', '5432',
          'this port hands out sessions, each with a server to itself; port 6543 hands out transactions, and will do'),
         ('pooler', 'PgBouncer of Supabase', null, '%.supabase.co', '6543',
          'this port hands out transactions, behind which no setting, advisory lock, LISTEN or prepared statement of a session '
          || 'lasts; use port 5432, the server itself, for these'),
         ('pooler', 'PgBouncer of Neon', null, '%-pooler.%.neon.tech', null,
          'it hands out transactions, behind which no setting, advisory lock or LISTEN of a session lasts; '
          || 'use the host without -pooler, the server itself, for these'),
         ('pooler', 'PgBouncer of Azure', null, '%.postgres.database.azure.com', '6432',
          'this port hands out transactions unless set otherwise; port 5432 is the server itself'),
         ('pooler', 'RDS Proxy', null, '%.proxy-%.rds.amazonaws.com', null,
          'it keeps a server for who sets something in a session, which usher does not')
       ) as e (kind, name, settings, host, port, follows)
 where $1::text like e.host and (e.port is null or e.port = $2::text)
    or exists (select from pg_catalog.pg_settings s where s.name like e.settings)
