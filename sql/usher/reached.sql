-- How far an act on many came: the place of the last subject that a part of it was about. Payloads are long, and there may be
-- thousands of parts: only the latest is read. Of a part that is forgotten its record still says to whom it was done, or what
-- it took back.
create or replace function usher.reached(bulk uuid) returns integer
language plpgsql stable
as $$
begin
    return (
    select greatest(
        (select (l.payload ->> 'last')::integer
           from (select p.payload
                   from usher.operation p
                  where p.parent = reached.bulk and p.kind = 'batch' and p.payload is not null
                  order by p.at desc limit 1) l),
        (select max(s.ordinal)
           from usher.operation p
           join usher.subject s on s.operation = reached.bulk and s.key = any (p.subjects || p.undoes::text)
          where p.parent = reached.bulk and p.kind = 'batch' and p.payload is null),
        0));
end
$$;
