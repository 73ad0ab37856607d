-- How far an act on many came that was begun and not finished, if the same is asked for again.
create or replace function usher.resumed(whole usher.operation, input text, request jsonb) returns jsonb
language plpgsql stable
as $$
declare
    parts record;
begin
    if whole.id is null then
        raise exception 'there is no bulk change %', request ->> 'resumes' using errcode = 'US004',
              detail = jsonb_build_object('refusal', 'no_bulk', 'operation', request ->> 'resumes')::text;
    end if;
    if usher.outcome(whole.id) <> 'running' then
        raise exception '% is not unfinished: it is %', whole.id, usher.outcome(whole.id) using errcode = 'US003',
              detail = jsonb_build_object('refusal', 'not_unfinished', 'operation', whole.id, 'outcome', usher.outcome(whole.id))::text;
    end if;
    if whole.payload ->> 'input' is distinct from resumed.input then
        raise exception '% was another change, or one of other users', whole.id
              using errcode = 'US002', detail = jsonb_build_object('refusal', 'other_bulk', 'operation', whole.id)::text;
    end if;
    select coalesce(sum(coalesce((b.payload ->> 'done')::bigint, cardinality(b.subjects))), 0) as done, coalesce(sum((b.payload ->> 'refused')::bigint), 0) as refused,
           coalesce(sum((select count(*) from usher.change c where c.operation = b.id)), 0) as changes,
           usher.reached(whole.id) as last,
           count(*) filter (where usher.outcome(b.id) = 'undone') as undone
      into parts
      from usher.operation b where b.parent = whole.id and b.kind = 'batch';
    if parts.undone > 0 then
        raise exception 'parts of % are undone; going on would leave them so', whole.id using errcode = 'US003',
              detail = jsonb_build_object('refusal', 'parts_undone', 'operation', whole.id)::text;
    end if;
    perform usher.refuse_other_list(whole, parts.last + 1, least(parts.last + 100, (whole.payload ->> 'listed')::integer));
    return jsonb_build_object(
        'outcome', 'resumed', 'operation', whole.id, 'now', whole.payload -> 'now', 'total', whole.payload -> 'total',
        'done', parts.done, 'refusals', parts.refused + coalesce((whole.payload ->> 'missing')::bigint, 0), 'changed', parts.changes,
        'subjects', (select coalesce(jsonb_agg(s.key order by s.ordinal), '[]')
                       from (select u.key, u.ordinal from usher.subject u
                              where u.operation = whole.id and u.ordinal > parts.last and u.key is not null order by u.ordinal limit 100) s));
end
$$;
