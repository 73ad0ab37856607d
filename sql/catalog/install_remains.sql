-- The steps that an installation could not do, in the order to run them: create a missing operator role, and grant its membership and its
-- rights. If a role can't grant a right, Postgres only warns, so the query checks the privileges.
select step.sql, step.sentence, step.creates_role
  from (values (1, 'usher_support', null, 'usher.run(jsonb)'), (2, 'usher_admin', 'usher_support', 'usher.run(jsonb)'),
               (3, 'usher_engineer', 'usher_admin', 'usher.run(jsonb)'), (4, 'usher_eraser', null, 'usher.erase(jsonb)'),
               (5, 'usher_auditor', null, 'usher.outcome(uuid)'))
       as wanted (place, name, below, function)
  left join pg_roles r on r.rolname = wanted.name
  left join pg_roles b on b.rolname = wanted.below
  cross join lateral (values
       (1, r.oid is null, format('create role %s nologin', wanted.name), 'this role can''t create roles', true),
       (2, wanted.below is not null and not coalesce(pg_has_role(r.oid, b.oid, 'usage'), false),
        format('grant %s to %s', wanted.below, wanted.name), format('%s should have all rights of %s', wanted.name, wanted.below), false),
       -- The owner grants the rights, so this step is left only if the role didn't exist.
       (3, not (has_schema_privilege(r.oid, 'usher', 'usage')
                and has_column_privilege(r.oid, 'usher.operation', 'payload', 'select')
                and has_column_privilege(r.oid, 'usher.change', 'payload', 'select')
                and has_function_privilege(r.oid, wanted.function, 'execute')),
        format('grant usage on schema usher to %s', wanted.name), format('%s can''t use the schema usher', wanted.name), false))
       as step (place, is_left, sql, sentence, creates_role)
 where step.is_left
 order by wanted.place, step.place
