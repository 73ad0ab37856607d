-- The act that an operation was done by, also of what undid it; none where no installed act explains it.
create or replace function usher.act_of(operation usher.operation) returns usher.act
language plpgsql stable
as $$
begin
    return (
    with recursive
    origin (id, undoes) as (
        select operation.id, operation.undoes
         union
        select o.id, o.undoes from origin u join usher.operation o on o.id = u.undoes
    )
    select a
      from origin u
      join usher.operation o on o.id = u.id
      join usher.act a on a.app = o.app and a.digest = o.app_digest and a.definition ->> 'command' = o.command
     where u.undoes is null
     -- States share a command, and a role.
     order by a.name limit 1);
end
$$;
