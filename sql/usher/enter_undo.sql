-- Writes that an operation was taken back, alone or as a part, and how many rows of it were left as they are: what is left can
-- be taken back later, but not what is forgotten.
create or replace function usher.enter_undo(
    request jsonb, undone usher.operation, app jsonb, act jsonb, environment text, subjects text[], at timestamptz, left_out bigint,
    changes jsonb, asked usher.operation default null, decisions jsonb default null
) returns void
language plpgsql volatile
as $$
declare
    erased constant bigint := usher.erased_changes(undone.id);
begin
    perform usher.enter(
        (request ->> 'id')::uuid, case when request ->> 'parent' is null then 'undo' else 'batch' end,
        case enter_undo.left_out when 0 then 'committed' else 'partial' end, 'audit undo',
        undone.app, undone.app_digest, (request ->> 'parent')::uuid, undone.id, undone.root, undone.subjects,
        usher.said(enter_undo.app, act, environment, enter_undo.subjects, enter_undo.at, '{}', request)
            || usher.taken_back_from(request -> 'position', enter_undo.left_out + erased)
            || jsonb_build_object('objects', undone.payload -> 'objects', 'asked_by', asked.operator, 'decisions', usher.turned(enter_undo.decisions),
                                  'erased', nullif(erased, 0))
            || case when enter_undo.subjects = '{}' then jsonb_build_object('target', undone.id) else '{}' end,
        enter_undo.changes, asked.id);
end
$$;
