-- How far the undoing of many came with a part ({number, last, done, refused}), some rows of which were left as they are.
create or replace function usher.taken_back_from(place jsonb, left_out bigint) returns jsonb
language sql immutable
as $$
    select coalesce(place || jsonb_build_object('done', (place ->> 'done')::bigint - n.refused, 'refused', n.refused), '{}')
      from (select least(taken_back_from.left_out, (place ->> 'done')::bigint) as refused) n
$$;
