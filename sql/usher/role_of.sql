-- The role that the act of an operation needs, also for what undid it; what no installed act explains is an engineer's.
create or replace function usher.role_of(operation usher.operation) returns text
language sql stable
as $$
    with recursive
    origin (id, undoes) as (
        select operation.id, operation.undoes
         union
        select o.id, o.undoes from origin u join usher.operation o on o.id = u.undoes
    )
    select coalesce(
        (select a.role
           from origin u
           join usher.operation o on o.id = u.id
           join usher.act a on a.app = o.app and a.digest = o.app_digest and a.definition ->> 'command' = o.command
          where u.undoes is null
          -- States share a command, and a role.
          order by a.name limit 1),
        'usher_engineer')
$$;
