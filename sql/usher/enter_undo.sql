-- Writes that an operation was taken back, alone or as a part.
create or replace function usher.enter_undo(
    request jsonb, undone usher.operation, app jsonb, act jsonb, environment text, subjects text[], at timestamptz, changes jsonb
) returns void
language plpgsql volatile
as $$
begin
    perform usher.enter(
        (request ->> 'id')::uuid, case when request ->> 'parent' is null then 'undo' else 'batch' end, 'committed', 'audit undo',
        undone.app, undone.app_digest, (request ->> 'parent')::uuid, undone.id, undone.root, undone.subjects,
        usher.said(enter_undo.app, act, environment, enter_undo.subjects, enter_undo.at, '{}', request)
            || coalesce(request -> 'position', '{}')
            || case when enter_undo.subjects = '{}' then jsonb_build_object('target', undone.id) else '{}' end,
        enter_undo.changes);
end
$$;
