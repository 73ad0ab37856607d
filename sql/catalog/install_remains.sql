-- The operator roles after an installation, with tests if each role exists, has its membership, and has its grants. Postgres only warns if
-- a grant is impossible, so the query checks the privileges.
select wanted.name as role, r.oid is not null as exists,
       wanted.below is null or b.oid is not null and r.oid is not null and pg_has_role(r.oid, b.oid, 'usage') as inherits,
       r.oid is not null
           and has_schema_privilege(r.oid, 'usher', 'usage')
           and has_column_privilege(r.oid, 'usher.operation', 'payload', 'select')
           and has_column_privilege(r.oid, 'usher.change', 'payload', 'select')
           and has_function_privilege(r.oid, wanted.function, 'execute') as granted,
       wanted.below
  from (values (1, 'usher_support', null, 'usher.run(jsonb)'), (2, 'usher_admin', 'usher_support', 'usher.run(jsonb)'),
               (3, 'usher_engineer', 'usher_admin', 'usher.run(jsonb)'), (4, 'usher_eraser', null, 'usher.erase(jsonb)'),
               (5, 'usher_auditor', null, 'usher.outcome(uuid)'))
       as wanted (place, name, below, function)
  left join pg_roles r on r.rolname = wanted.name
  left join pg_roles b on b.rolname = wanted.below
 order by wanted.place
