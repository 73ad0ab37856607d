-- Writes changed rows of an operation that this very transaction recorded, numbered on from the first.
create or replace function usher.record_changes(operation uuid, first_ordinal integer, payloads jsonb[])
returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    -- The salts come from one random seed that nobody keeps, so that none leads to another; drawing each is slow.
    seed constant bytea := uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());
    written integer;
begin
    perform from usher.operation o
      where o.id = record_changes.operation and o.transaction = pg_current_xact_id();
    if not found then
        raise exception 'operation % was not recorded by this transaction', record_changes.operation
              using errcode = 'insufficient_privilege';
    end if;
    insert into usher.change (operation, ordinal, digest, salt, payload)
    select record_changes.operation, c.ordinal, sha256(c.salt || convert_to(c.payload::text, 'UTF8')), c.salt, c.payload
      from (select first_ordinal + p.place::integer - 1 as ordinal,
                   substr(sha256(seed || int8send(p.place)), 1, 16) as salt,
                   p.payload
              from unnest(payloads) with ordinality as p (payload, place)
            offset 0) c;
    get diagnostics written = row_count;
    return written;
end
$$;
