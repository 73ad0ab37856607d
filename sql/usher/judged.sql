-- What the refusals and warnings of an act say about some subjects: by key the first refusal that holds, and all warnings.
create or replace function usher.judged(act jsonb, keys text[], at timestamptz, arguments jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    refusals constant integer := (judged.act ->> 'refusals')::integer;
    found record;
    refused jsonb := '{}';
    warnings jsonb := '[]';
begin
    if judged.act ->> 'judgement' is null then
        return jsonb_build_object('refused', refused, 'warnings', warnings);
    end if;
    for found in
        execute format('select j.* from (%s) j where cardinality(j.held) > 0', judged.act ->> 'judgement') using judged.at, judged.keys, judged.arguments
    loop
        if found.held[1] < refusals then
            refused := refused || jsonb_build_object(
                coalesce(found.key, ''),
                jsonb_build_object('key', found.key, 'remark', found.held[1], 'facts', found.facts));
        else
            select warnings || coalesce(
                       jsonb_agg(jsonb_build_object('key', found.key, 'remark', h.remark, 'facts', found.facts)), '[]')
              into warnings
              from unnest(found.held) as h (remark);
        end if;
    end loop;
    return jsonb_build_object('refused', refused, 'warnings', warnings);
end
$$;
