-- Salts for so many rows, sixteen bytes each, in one. They come from one random seed that nobody keeps, so that none leads to
-- another; drawing each is slow.
create or replace function usher.salts(rows bigint) returns bytea
language sql volatile
as $$
    select string_agg(sha512(drawn.seed || int8send(part.number)), '')
      from (select uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) as seed) drawn,
           generate_series(0, greatest(salts.rows - 1, 0) / 4) as part (number)
$$;
