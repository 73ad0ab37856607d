-- The reasons not to drop a role ($1): its members, its right to log in, and objects that depend on it, in this database or in other
-- databases. No row if the role doesn't exist.
select (select array_agg(m.rolname::text order by m.rolname)
          from pg_auth_members a
          join pg_roles m on m.oid = a.member
         where a.roleid = r.oid
           -- From Postgres 16 on, the creator of a role is a member that doesn't inherit the rights of the role.
           and coalesce((to_jsonb(a) ->> 'inherit_option')::boolean, true)) as members,
       r.rolcanlogin as logs_in,
       (select array_agg(distinct case when d.dbid in (0, b.oid) then pg_describe_object(d.classid, d.objid, d.objsubid)
                                       else 'database ' || coalesce(o.datname, d.dbid::text) end)
          from pg_shdepend d
          join pg_database b on b.datname = current_database()
          left join pg_database o on o.oid = d.dbid
         where d.refclassid = 'pg_authid'::regclass and d.refobjid = r.oid
           and not (d.dbid = 0 and d.classid = 'pg_auth_members'::regclass)) as uses
  from pg_roles r
 where r.rolname = $1
