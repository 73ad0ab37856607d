-- How the decisions of an app stand for some users: every answer, and why a decision could not be evaluated.
create or replace function usher.standing(app jsonb, users text[], at timestamptz) returns jsonb
language plpgsql volatile
as $$
declare
    decision jsonb;
    answers jsonb := '[]';
    unavailable jsonb := '{}';
    own jsonb;
begin
    if cardinality(standing.users) = 0 then
        return jsonb_build_object('answers', answers, 'unavailable', unavailable);
    end if;
    for decision in select d.of from jsonb_array_elements(standing.app -> 'decisions') as d (of) loop
        begin
            execute format(
                        'select jsonb_agg(jsonb_build_array(d.key, %L, d.per, d.outcome)) from (%s) d (key, per, outcome)',
                        decision ->> 'name', decision ->> 'sql')
               into own
              using standing.at, standing.users, '{}'::jsonb;
            answers := answers || coalesce(own, '[]');
        exception when others then
            if usher.is_passing(sqlstate) then raise; end if;
            unavailable := unavailable || jsonb_build_object(decision ->> 'name', sqlerrm);
        end;
    end loop;
    return jsonb_build_object('answers', answers, 'unavailable', unavailable);
end
$$;
