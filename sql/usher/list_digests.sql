-- What the list of those whom an act on many is about comes to between two places: a digest for each so many of them, by its number.
-- It is made of the digests that they leave behind when they are forgotten.
create or replace function usher.list_digests(operation uuid, size integer, low integer, high integer) returns jsonb
language sql stable
as $$
    select coalesce(jsonb_object_agg(b.number, encode(b.digest, 'hex')), '{}')
      from (select (s.ordinal - 1) / list_digests.size as number, sha256(string_agg(s.digest, '' order by s.ordinal)) as digest
              from usher.subject s
             where s.operation = list_digests.operation
               and s.ordinal > (list_digests.low - 1) / list_digests.size * list_digests.size
               and s.ordinal <= ((list_digests.high - 1) / list_digests.size + 1) * list_digests.size
             group by 1) b
$$;
