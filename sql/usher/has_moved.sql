-- Whether what a request rests on is not as it was when it was made.
create or replace function usher.has_moved(
    asked usher.operation, app jsonb, act jsonb, keys text[], at timestamptz, arguments jsonb
) returns boolean
language plpgsql volatile
as $$
declare
    world constant text := asked.payload -> 'asks' ->> 'world';
begin
    if world is null then return false; end if;
    return usher.world(
        app, act, has_moved.keys, at, arguments, usher.judged(act, has_moved.keys, at, arguments),
        usher.standing(app, usher.concerned(act, has_moved.keys, at, arguments), at), split_part(world, ':', 1)) is distinct from world;
end
$$;
