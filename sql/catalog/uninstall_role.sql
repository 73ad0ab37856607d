-- The reason not to drop a role ($1): it can log in, it has members, or objects of this or another database depend on it. The reason is
-- null if usher can drop the role. The query returns no row if the role doesn't exist.
select case
       when r.rolcanlogin then 'it can log in'
       when members.names <> '{}'
       then array_to_string(members.names, ', ') || case when cardinality(members.names) = 1 then ' is a member' else ' are members' end
       when uses.names <> '{}'
       then 'it is used by ' || array_to_string(uses.names[1:3], ', ')
            || case when cardinality(uses.names) > 3 then ', and ' || cardinality(uses.names) - 3 || ' more' else '' end
       end as reason
  from pg_roles r,
       lateral (select coalesce(array_agg(m.rolname::text order by m.rolname), '{}') as names
                  from pg_auth_members a
                  join pg_roles m on m.oid = a.member
                 where a.roleid = r.oid
                   -- From Postgres 16 on, the creator of a role is a member that doesn't inherit the rights of the role.
                   and coalesce((to_jsonb(a) ->> 'inherit_option')::boolean, true)) members,
       lateral (select coalesce(array_agg(distinct case when d.dbid in (0, b.oid) then pg_describe_object(d.classid, d.objid, d.objsubid)
                                                        else 'database ' || coalesce(o.datname, d.dbid::text) end), '{}') as names
                  from pg_shdepend d
                  join pg_database b on b.datname = current_database()
                  left join pg_database o on o.oid = d.dbid
                 where d.refclassid = 'pg_authid'::regclass and d.refobjid = r.oid
                   and not (d.dbid = 0 and d.classid = 'pg_auth_members'::regclass)) uses
 where r.rolname = $1
