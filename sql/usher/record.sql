-- Writes one operation, and says whether it did. Who, when and in which transaction are not the caller's to say.
--
-- The row `lost` fences an operation off whose connection died: it waits for a commit on its way, and yields to it.
create or replace function usher.record(
    id uuid, kind text, outcome text, command text, app text, parent uuid, undoes uuid, payload jsonb
) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    fresh constant bytea := uuid_send(gen_random_uuid());
    said constant jsonb := coalesce(record.payload, '{}');
begin
    if jsonb_typeof(said) <> 'object' then
        raise exception 'the payload of an operation is an object' using errcode = 'invalid_parameter_value';
    end if;
    insert into usher.operation as o (id, kind, outcome, command, app, parent, undoes, digest, salt, payload)
    values (record.id, record.kind, record.outcome, record.command, record.app, record.parent, record.undoes,
            sha256(fresh || convert_to(said::text, 'UTF8')), fresh, said)
        on conflict on constraint operation_pkey do nothing;
    if not found and record.outcome <> 'lost' then
        raise exception 'operation % is already recorded', record.id using errcode = 'unique_violation';
    end if;
    return found;
end
$$;
