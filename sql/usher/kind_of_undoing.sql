-- What taking an operation back is: doing its act again, where that was undone, and else an undoing.
create or replace function usher.kind_of_undoing(operation usher.operation) returns text
language sql stable
as $$
    with recursive origin (undoes, depth) as (
        select operation.undoes, 0
         union all
        select o.undoes, u.depth + 1 from origin u join usher.operation o on o.id = u.undoes
    )
    select case max(u.depth) % 2 when 1 then coalesce((usher.act_of(operation)).kind, 'undo') else 'undo' end from origin u
$$;
