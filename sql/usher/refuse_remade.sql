-- Refuses what empties, alters or drops a table: nothing of that is counted, or could be taken back.
create or replace function usher.refuse_remade() returns void
language plpgsql volatile
as $$
declare
    names constant text := nullif(array_to_string(usher.remade(), ', '), '');
begin
    raise exception 'this % as a whole, which can neither be shown row by row nor undone',
          coalesce('empties or alters ' || names, 'drops a table')
          using errcode = 'US003', detail = jsonb_build_object('refusal', 'remade', 'tables', names)::text;
end
$$;
