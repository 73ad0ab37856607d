-- The roles of operators, where the session may make them. Support, administrators and engineers may each do what the one
-- before may; who deletes accounts and who may read salts stand apart, and get only what is given to them by name. What
-- they may read and write of an app is for `usher roles sql` to say.
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
            raise notice 'the role % is for somebody else to make', role.name;
        end;
    end loop;
end
$$;
