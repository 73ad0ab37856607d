-- What the refusals and warnings of an act say about some subjects: by key the first refusal that holds, and all warnings.
create or replace function usher.judged(act jsonb, keys text[], at timestamptz, arguments jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    judgement jsonb;
begin
    if judged.act ->> 'judgement' is null then return '{"refused": {}, "warnings": []}'; end if;
    -- All of them at once: to add one by one to what was found writes all of that again each time.
    execute format(
        $query$
        with j as materialized (select j.key, j.held, j.facts from (%s) j where cardinality(j.held) > 0)
        select jsonb_build_object(
                   'refused', (select coalesce(jsonb_object_agg(
                                          coalesce(j.key, ''), jsonb_build_object('key', j.key, 'remark', j.held[1], 'facts', j.facts)), '{}')
                                 from j where j.held[1] < $4),
                   'warnings', (select coalesce(jsonb_agg(jsonb_build_object('key', j.key, 'remark', h.remark, 'facts', j.facts)), '[]')
                                  from j, unnest(j.held) as h (remark) where j.held[1] >= $4))
        $query$, judged.act ->> 'judgement')
       into judgement using judged.at, judged.keys, judged.arguments, (judged.act ->> 'refusals')::integer;
    return judgement;
end
$$;
