-- The head of the chain after a seal: its own columns on top of the head before it.
create or replace function usher.head(seal usher.seal, previous bytea) returns bytea
language sql immutable set search_path = pg_catalog, pg_temp
as $$
    select sha256(convert_to(jsonb_build_array(
        seal.number, extract(epoch from seal.at), seal.system_identifier::text, seal.horizon::text,
        encode(seal.root, 'hex'), encode(previous, 'hex'))::text, 'UTF8'))
$$;
