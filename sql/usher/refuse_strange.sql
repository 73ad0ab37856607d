-- Refuses where another server wrote what is no part of any table of this one, or where its counters are those of another session.
create or replace function usher.refuse_strange(before jsonb, after jsonb) returns void
language plpgsql stable
as $$
declare
    strange text;
begin
    if before is not distinct from after then return; end if;
    select coalesce(substring(a.word from '^\d+ \d+ \d+ (.*)$'), a.word) into strange
      from (select jsonb_array_elements_text(after) except select jsonb_array_elements_text(before)) a (word)
     order by 1 limit 1;
    raise exception 'not every change of % can be accounted for', strange
          using errcode = 'US003', detail = jsonb_build_object('refusal', 'unaccounted', 'table', strange)::text;
end
$$;
