-- Refuses the undoing of what is no act on many, or cannot be taken back.
create or replace function usher.refuse_irrevocable_bulk(operation usher.operation, request jsonb) returns void
language plpgsql stable
as $$
begin
    if operation.kind is distinct from 'bulk' then
        raise exception 'there is no act on many %', request ->> 'undoes' using errcode = 'US004',
              detail = jsonb_build_object('refusal', 'no_bulk', 'operation', request ->> 'undoes')::text;
    end if;
    if usher.outcome(operation.id) = 'undone' then
        raise exception 'it is undone already' using errcode = 'US003', detail = jsonb_build_object('refusal', 'undone')::text;
    end if;
    if coalesce(operation.payload -> 'final', (usher.act_of(operation)).definition -> 'final') = 'true' then
        raise exception '% cannot be undone', operation.command using errcode = 'US003',
              detail = jsonb_build_object('refusal', 'final', 'command', operation.command)::text;
    end if;
end
$$;
