-- The digest of one of those whom an act on many is about, in its place.
create or replace function usher.subject_digest(salt bytea, ordinal integer, key text) returns bytea
language sql immutable
as $$ select sha256(subject_digest.salt || convert_to(subject_digest.ordinal::text || ' ' || subject_digest.key, 'UTF8')) $$;
