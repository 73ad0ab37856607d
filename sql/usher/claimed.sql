-- What is recorded of a claim: it holds a secret, so nobody finds in this whom it is about.
create or replace function usher.claimed(claim jsonb) returns text
language sql immutable
as $$ select encode(sha256(convert_to(claim::text, 'UTF8')), 'hex') $$;
