-- Refuses when questions, whose rows are a key and what speaks against an act, find anything.
create or replace function usher.refuse_found(questions jsonb, refusal text, complaint text) returns void
language plpgsql volatile
as $$
declare
    question text;
    own jsonb;
    found jsonb := '[]';
begin
    for question in select jsonb_array_elements_text(coalesce(questions, '[]')) loop
        execute format('select jsonb_agg(jsonb_build_object(''key'', q.key) || q.unlike) from (%s) q (key, unlike)', question) into own;
        found := found || coalesce(own, '[]');
    end loop;
    if found <> '[]' then
        raise exception '%; nothing was changed', complaint using errcode = 'US010',
              detail = jsonb_build_object('refusal', refuse_found.refusal, 'rows', found)::text;
    end if;
end
$$;
