-- The first hundred changes of each table by an operation, besides some: enough to see what it did.
create or replace function usher.first_changes(operation uuid, besides integer[]) returns integer[]
language plpgsql stable
as $$
begin
    return array(
        select f.ordinal
          from (select c.ordinal, row_number() over (partition by c.payload ->> 'table' order by c.ordinal) as place
                  from usher.change c
                 where c.operation = first_changes.operation and c.payload is not null
                   and not exists (select from unnest(besides) b (ordinal) where b.ordinal = c.ordinal)) f
         where f.place <= 100
         order by f.ordinal);
end
$$;
