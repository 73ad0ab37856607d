-- What a server or a pooler is called, by the settings it brings and by where it is ($1), and what follows of that.
select e.kind, e.name, e.follows
  from (values
         ('engine', 'Supabase', 'supautils.%', '%.supabase.co',
          'the role postgres owns the tables and installs; it is no superuser'),
         ('engine', 'Amazon RDS or Aurora', 'rds.%', '%.rds.amazonaws.com',
          'rds_superuser is no superuser; the owner of the tables installs'),
         ('engine', 'Neon', 'neon.%', '%.neon.tech',
          'a server that sleeps answers its first question late'),
         ('engine', 'AlloyDB', 'alloydb.%', null, 'alloydbsuperuser is no superuser; the owner of the tables installs'),
         ('engine', 'Cloud SQL', 'cloudsql.%', null, 'cloudsqlsuperuser is no superuser; the owner of the tables installs'),
         ('engine', 'Azure Database', 'azure.%', '%.postgres.database.azure.com',
          'azure_pg_admin is no superuser; the owner of the tables installs'),
         ('engine', 'Crunchy Bridge', 'crunchy.%', '%.postgresbridge.com', null),
         ('engine', 'TimescaleDB', 'timescaledb.%', null, null),
         ('pooler', 'Supavisor', null, '%.pooler.supabase.com',
          'port 6543 hands out transactions, port 5432 sessions; both will do'),
         ('pooler', 'PgBouncer of Neon', null, '%-pooler.%.neon.tech', 'it hands out transactions'),
         ('pooler', 'RDS Proxy', null, '%.proxy-%.rds.amazonaws.com',
          'it keeps a server for who sets something in a session, which usher does not')
       ) as e (kind, name, settings, host, follows)
 where $1::text like e.host
    or exists (select from pg_catalog.pg_settings s where s.name like e.settings)
