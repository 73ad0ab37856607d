-- Records that an act on many is at its end, how many it was done to, and how many rows that changed, so that nobody has to count.
-- Who is none of those it was done to, nor was refused, was passed over: gone since it began, or no longer what it is for.
create or replace function usher.finish(whole usher.operation, id uuid) returns jsonb
language plpgsql volatile
as $$
declare
    sums record;
    passed bigint;
begin
    -- Of a part that is forgotten, those whom nobody forgot are done.
    select coalesce(sum(coalesce((b.payload ->> 'done')::bigint, cardinality(b.subjects))), 0) as done,
           coalesce(sum((b.payload ->> 'refused')::bigint), 0) as refused, coalesce((whole.payload ->> 'missing')::bigint, 0) as missing,
           coalesce(sum(coalesce(s.changes, (select count(*) from usher.change c where c.operation = b.id))), 0) as changed
      into sums
      from usher.operation b
      left join usher.sealed s on s.operation = b.id
     where b.parent = whole.id and b.kind = 'batch';
    if whole.undoes is null then
        passed := nullif(greatest((whole.payload ->> 'listed')::bigint - sums.done - sums.refused, 0), 0);
    end if;
    perform usher.enter(
        finish.id, 'end', case when sums.refused + sums.missing = 0 then 'committed' else 'partial' end, whole.command, whole.app,
        whole.app_digest, whole.id, null, whole.root, null,
        jsonb_build_object('done', sums.done, 'refused', sums.refused + sums.missing, 'changed', sums.changed, 'passed', passed));
    return jsonb_build_object('outcome', 'exhausted', 'done', sums.done, 'refusals', sums.refused + sums.missing, 'passed', passed);
end
$$;
