-- What the list of those whom an act on many is about comes to between two places: a digest for each so many of them, by its
-- number. It is made of whom the list names now, and of the digest that alone is left of each whom a deletion took from it;
-- whoever has neither is not left out, but makes it another.
create or replace function usher.list_digests(operation uuid, size integer, low integer, high integer) returns jsonb
language plpgsql stable
as $$
begin
    return (
    select coalesce(jsonb_object_agg(b.number, encode(b.digest, 'hex')), '{}')
      from (select (s.ordinal - 1) / list_digests.size as number,
                   sha256(string_agg(
                       coalesce(
                           case when s.key is not null then usher.subject_digest(s.salt, s.ordinal, s.key)
                                when exists (select from usher.operation o
                                              where o.id = s.erased and o.kind = 'erasure' and o.outcome = 'committed') then s.digest end,
                           '\x00'),
                       '' order by s.ordinal)) as digest
              from usher.subject s
             where s.operation = list_digests.operation
               and s.ordinal > (list_digests.low - 1) / list_digests.size * list_digests.size
               and s.ordinal <= ((list_digests.high - 1) / list_digests.size + 1) * list_digests.size
             group by 1) b);
end
$$;
