-- The facts from which usher decides if and how it can install its schema in this database.
select current_database() as database, session_user as login, gen_random_uuid() as id,
       o.rolname as owner,
       pg_has_role(o.oid, 'member') as may_act,
       n.oid is not null as has_schema,
       o.rolsuper or o.oid = d.datdba as trusted_owner
  from pg_database d
  left join pg_namespace n on n.nspname = 'usher'
  join pg_roles o on o.oid = coalesce(n.nspowner, d.datdba)
 where d.datname = current_database()
