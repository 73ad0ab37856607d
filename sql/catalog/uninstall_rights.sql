-- The rights of the operator roles on objects of this database, and the policies that `usher roles sql` creates for these roles. Each has
-- the statement that revokes the right or drops the policy.
select r.rolname as role, pg_describe_object(d.classid, d.objid, 0) as object,
       coalesce('drop policy ' || quote_ident(y.polname) || ' on ' || y.polrelid::regclass,
                'revoke all on ' || k.kind || ' from ' || quote_ident(r.rolname)) as sql
  from pg_shdepend d
  join pg_roles r on r.oid = d.refobjid and d.refclassid = 'pg_authid'::regclass
  join pg_database b on b.datname = current_database()
  left join pg_class c on d.classid = 'pg_class'::regclass and c.oid = d.objid
  left join pg_policy y on d.classid = 'pg_policy'::regclass and y.oid = d.objid
                       and y.polname in (select r.rolname || '_' || w.command
                                           from unnest('{select,insert,update,delete}'::text[]) w (command))
 cross join lateral (
       select case d.classid
              when 'pg_class'::regclass
              then case when c.relkind = 'S' then 'sequence ' else 'table ' end || d.objid::regclass
              when 'pg_namespace'::regclass then 'schema ' || d.objid::regnamespace
              when 'pg_proc'::regclass then 'routine ' || d.objid::regprocedure
              when 'pg_type'::regclass then 'type ' || d.objid::regtype
              when 'pg_database'::regclass then 'database ' || quote_ident(b.datname)
              end) k (kind)
 where r.rolname in ('usher_support', 'usher_admin', 'usher_engineer', 'usher_eraser', 'usher_auditor')
   and (d.deptype = 'a' and k.kind is not null or y.oid is not null)
   and (d.dbid = b.oid or d.dbid = 0 and d.classid = 'pg_database'::regclass and d.objid = b.oid)
 group by 1, 2, 3
 order by 1, 2
