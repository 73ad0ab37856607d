-- How much the ledger holds, how much of it no seal covers yet, and the head of the chain.
create or replace function usher.tally(
    out operations bigint, out changes bigint, out unsealed bigint, out erased bigint, out seals bigint, out head text
)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select (select count(*) from usher.operation),
           (select count(*) from usher.change),
           (select count(*) from usher.operation o
             where not exists (select from usher.sealed s where s.operation = o.id)),
           (select count(*) from usher.operation o where o.erased is not null)
               + (select count(*) from usher.change c where c.erased is not null),
           (select count(*) from usher.seal),
           (select encode(s.head, 'hex') from usher.seal s order by s.number desc limit 1)
$$;
