-- What the operations of a seal come to.
create or replace function usher.root(seal bigint) returns bytea
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select sha256(string_agg(uuid_send(s.operation) || int8send(s.changes) || s.leaf, '' order by s.operation))
      from usher.sealed s
     where s.seal = $1
$$;
