-- Creates the roles of operators, if the connected role can create roles. Admins have the rights of support, and engineers have the
-- rights of admins. Erasers and auditors have only their own rights. `usher roles sql` prints their grants on the tables of an app.
do $$
declare
    role record;
begin
    for role in
        select r.*
          from (values (1, 'usher_support', null), (2, 'usher_admin', 'usher_support'), (3, 'usher_engineer', 'usher_admin'),
                       (4, 'usher_eraser', null), (5, 'usher_auditor', null)) as r (place, name, below)
         order by r.place
    loop
        begin
            if not exists (select from pg_catalog.pg_roles r where r.rolname = role.name) then
                execute pg_catalog.format('create role %I nologin', role.name);
            end if;
            if role.below is not null and not pg_catalog.pg_has_role(role.name, role.below, 'usage') then
                execute pg_catalog.format('grant %I to %I', role.below, role.name);
            end if;
        exception when insufficient_privilege or undefined_object or duplicate_object or unique_violation then
            raise notice 'this role can''t create the role % or grant it a role', role.name;
        end;
    end loop;
end
$$;

-- Citus copies new roles to the other servers, but not roles that are older than Citus or come from another database. So this script
-- creates the roles there, one server after the other, because each server also copies new roles. It doesn't create the operators' login
-- roles.
do $$
declare
    role record;
    told record;
begin
    if pg_catalog.to_regclass('pg_catalog.pg_dist_object') is null then return; end if;
    for role in
        with recursive
        named (place, name, below) as (
            values (1, 'usher_support', null), (2, 'usher_admin', 'usher_support'), (3, 'usher_engineer', 'usher_admin'),
                   (4, 'usher_eraser', null), (5, 'usher_auditor', null)
        ),
        member (oid) as (
            select r.oid from named n join pg_catalog.pg_roles r on r.rolname = n.name
             union
            select m.member from member h join pg_catalog.pg_auth_members m on m.roleid = h.oid
        )
        select r.rolname as name, n.name is not null as is_own, n.below
          from member h
          join pg_catalog.pg_roles r on r.oid = h.oid
          left join named n on n.name = r.rolname
         where not exists (select from pg_catalog.pg_dist_object o
                            where o.classid = 'pg_catalog.pg_authid'::pg_catalog.regclass and o.objid = h.oid)
         order by n.place, r.rolname
    loop
        for told in
            select w.* from pg_catalog.run_command_on_workers(pg_catalog.format(
                case when role.is_own
                     then $do$do $make$ begin
                            if not exists (select from pg_catalog.pg_roles r where r.rolname = %1$L) then create role %1$I nologin; end if;
                            %2$s
                          end $make$ $do$
                     else 'select 1 / count(*) from pg_catalog.pg_roles r where r.rolname = %1$L' end,
                role.name, case when role.below is not null then pg_catalog.format('grant %I to %I;', role.below, role.name) end), false) w
        loop
            if role.is_own and not told.success then
                raise notice 'this role can''t create the role % on %:%: %', role.name, told.nodename, told.nodeport, told.result;
            elsif not told.success then
                raise notice 'the role % can''t read data on the Citus server %:% until a superuser creates it there',
                      role.name, told.nodename, told.nodeport;
            end if;
        end loop;
    end loop;
end
$$;
