-- The subjects of an act that the server objects to, each with its error, found by halves; everything is taken back.
create or replace function usher.objectors(
    app jsonb, act jsonb, relations jsonb, deferred text, keys text[], at timestamptz, arguments jsonb
) returns jsonb
language plpgsql volatile
as $$
declare
    middle constant integer := cardinality(objectors.keys) / 2;
begin
    begin
        perform usher.steps(app, act, relations, deferred, objectors.keys, at, arguments, '{}', '{}', '{}', '{}');
        raise sqlstate 'UA001';
    exception
        when sqlstate 'UA001' then return '[]';
        when sqlstate 'UA005' then
            if cardinality(objectors.keys) = 1 then
                return jsonb_build_array(jsonb_build_object('key', objectors.keys[1], 'error', sqlerrm::jsonb));
            end if;
    end;
    return usher.objectors(app, act, relations, deferred, objectors.keys[:middle], at, arguments)
           || usher.objectors(app, act, relations, deferred, objectors.keys[middle + 1:], at, arguments);
end
$$;
