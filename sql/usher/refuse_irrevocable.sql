-- Refuses what cannot be taken back. What is part of a change of many is taken back by itself only as such a part.
create or replace function usher.refuse_irrevocable(operation usher.operation, request jsonb) returns void
language plpgsql stable
as $$
declare
    undoing uuid;
    outcome constant text := usher.outcome(operation.id);
    act constant usher.act := case when operation.erased is not null then usher.act_of(operation) end;
begin
    if operation.id is null then
        raise exception 'there is no operation %', request ->> 'operation' using errcode = 'US004',
              detail = jsonb_build_object('refusal', 'no_operation', 'operation', request ->> 'operation')::text;
    end if;
    select u.id into undoing from usher.operation u
     where u.undoes = operation.id and u.at > operation.at and usher.outcome(u.id) = 'committed' limit 1;
    if undoing is not null then
        raise exception 'it is undone already, by %', undoing using errcode = 'US003',
              detail = jsonb_build_object('refusal', 'undone', 'by', undoing)::text;
    end if;
    -- What is on record of others can be taken back without what was forgotten, as long as it is known by which act.
    if operation.erased is not null
       and (act.app is null
            or not exists (select from usher.change c where c.operation = refuse_irrevocable.operation.id and c.payload is not null)) then
        raise exception 'what it changed was erased together with the person it was about' using errcode = 'US003',
              detail = jsonb_build_object('refusal', 'erased')::text;
    end if;
    if coalesce(operation.payload -> 'final', act.definition -> 'final') = 'true' then
        raise exception '% cannot be undone', operation.command using errcode = 'US003',
              detail = jsonb_build_object('refusal', 'final', 'command', operation.command)::text;
    end if;
    if outcome not in ('committed', 'partial', 'running') then
        raise exception 'it was %; there is nothing to undo', outcome using errcode = 'US003',
              detail = jsonb_build_object('refusal', 'not_done', 'outcome', outcome)::text;
    end if;
    if operation.kind not in ('change', 'undo', 'batch') then
        raise exception 'an operation of the kind % cannot be undone', operation.kind using errcode = 'US003',
              detail = jsonb_build_object('refusal', 'other_kind', 'kind', operation.kind)::text;
    end if;
end
$$;
