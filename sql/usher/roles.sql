-- The roles of operators, where the session may make them; each may do what the one before it may. What they may read
-- and write of an app is for `usher roles sql` to say.
do $$
declare
    roles constant text[] := array['usher_support', 'usher_admin', 'usher_engineer'];
begin
    for place in 1 .. 3 loop
        begin
            if not exists (select from pg_catalog.pg_roles r where r.rolname = roles[place]) then
                execute pg_catalog.format('create role %I nologin', roles[place]);
            end if;
            if place > 1 and not pg_catalog.pg_has_role(roles[place], roles[place - 1], 'usage') then
                execute pg_catalog.format('grant %I to %I', roles[place - 1], roles[place]);
            end if;
        exception when insufficient_privilege or undefined_object or duplicate_object or unique_violation then
            raise notice 'the role % is for somebody else to make', roles[place];
        end;
    end loop;
end
$$;
