-- Pieces of an undo with those first whose tables others refer to; tables that refer to each other stand as they come.
create or replace function usher.parents_first(pieces jsonb) returns jsonb
language plpgsql stable
as $$
declare
    waiting oid[] := array(select distinct (p.value ->> 'oid')::oid from jsonb_array_elements(pieces) p order by 1);
    placed oid[] := '{}';
    next oid;
begin
    while cardinality(waiting) > 0 loop
        select w.oid into next
          from unnest(waiting) as w (oid)
         order by exists (select from pg_constraint c
                           where c.contype = 'f' and c.conrelid = w.oid and c.confrelid <> w.oid and c.confrelid = any (waiting)), w.oid
         limit 1;
        placed := placed || next;
        waiting := array_remove(waiting, next);
    end loop;
    return (select jsonb_agg(p.value order by array_position(placed, (p.value ->> 'oid')::oid), p.place)
              from jsonb_array_elements(pieces) with ordinality as p (value, place));
end
$$;
