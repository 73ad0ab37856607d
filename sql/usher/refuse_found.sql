-- Refuses when questions, whose rows are a key and a sentence that speak against an act, find anything.
create or replace function usher.refuse_found(questions jsonb, complaint text) returns void
language plpgsql volatile
as $$
declare
    question text;
    own jsonb;
    found jsonb := '[]';
begin
    for question in select jsonb_array_elements_text(coalesce(questions, '[]')) loop
        execute format('select jsonb_agg(q.key || '' '' || q.sentence) from (%s) q (key, sentence)', question) into own;
        found := found || coalesce(own, '[]');
    end loop;
    if found <> '[]' then
        raise exception '%; nothing was changed', complaint using errcode = 'US010', detail = (select string_agg(f, E'\n') from jsonb_array_elements_text(found) f);
    end if;
end
$$;
