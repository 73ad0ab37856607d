-- The changes of an operation whose rows are not as it left them: {ordinal, key, sentence, restored} each, and whether the row is
-- as it was before.
create or replace function usher.changed_since(steps jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    question text;
    own jsonb;
    found jsonb := '[]';
begin
    for question in select p.value ->> 'since' from jsonb_array_elements(steps -> 'pieces') p loop
        execute format('select jsonb_agg(to_jsonb(s) order by s.ordinal) from (%s) s', question) into own;
        found := found || coalesce(own, '[]');
    end loop;
    return found;
end
$$;
