-- What the roles still lack after installing: the role itself, the one before it, or what was granted to it. A grant that
-- one may not make is only a warning, so the privileges themselves are asked for.
select wanted.name as role, r.oid is not null as exists,
       wanted.below is null or b.oid is not null and r.oid is not null and pg_has_role(r.oid, b.oid, 'usage') as inherits,
       r.oid is not null
           and has_schema_privilege(r.oid, 'usher', 'usage')
           and has_column_privilege(r.oid, 'usher.operation', 'payload', 'select')
           and has_column_privilege(r.oid, 'usher.change', 'payload', 'select')
           and has_function_privilege(r.oid, 'usher.record(uuid, text, text, text, text, uuid, uuid, jsonb)', 'execute')
           and has_function_privilege(r.oid, 'usher.seal()', 'execute') as granted,
       wanted.below
  from (values (1, 'usher_support', null), (2, 'usher_admin', 'usher_support'), (3, 'usher_engineer', 'usher_admin'))
       as wanted (place, name, below)
  left join pg_roles r on r.rolname = wanted.name
  left join pg_roles b on b.rolname = wanted.below
 order by wanted.place
