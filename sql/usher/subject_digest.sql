-- The digest of one of those whom an act on many is about, in its place. It is no more lasting than what turns text into bytes
-- says of itself: else the server would not write it into the statements that ask it of half a million.
create or replace function usher.subject_digest(salt bytea, ordinal integer, key text) returns bytea
language sql stable
as $$ select sha256(subject_digest.salt || convert_to(subject_digest.ordinal::text || ' ' || subject_digest.key, 'UTF8')) $$;
