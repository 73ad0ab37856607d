-- How an operation is undone: its changes of one kind to the same columns of one table by one statement each, tables that others
-- refer to first, and what is left as it is. `chosen` are the changes that it is about, all that are on record where it is NULL.
create or replace function usher.undo_steps(app jsonb, operation uuid, chosen integer[]) returns jsonb
language plpgsql stable
as $$
declare
    recorded record;
    shape jsonb;
    secret text;
    pieces jsonb := '[]';
    remarks jsonb := '[]';
begin
    for recorded in
        select c.payload ->> 'table' as relation,
               (select t.oid from pg_class t join pg_namespace n on n.oid = t.relnamespace
                 where n.nspname || '.' || t.relname = c.payload ->> 'table' and t.relkind in ('r', 'p')) as oid,
               case when jsonb_typeof(c.payload -> 'before') is distinct from 'object' then 'insert'
                    when jsonb_typeof(c.payload -> 'after') is distinct from 'object' then 'delete' else 'update' end as kind,
               k.written as columns, c.payload -> 'key' = '{}' as keyless,
               count(*) as changes, min(c.payload -> 'secrets' ->> 0) as secret
          from usher.change c
         cross join lateral (
               select coalesce(array_agg(e.name order by e.name), '{}') as written
                 from jsonb_object_keys(case when jsonb_typeof(c.payload -> 'before') = 'object' then c.payload -> 'before'
                                             else '{}' end) e (name)
                where jsonb_typeof(c.payload -> 'after') = 'object') k
         where c.operation = undo_steps.operation and c.payload is not null and (undo_steps.chosen is null or c.ordinal = any (undo_steps.chosen))
         group by 1, 2, 3, 4, 5
         order by 1, 3
    loop
        if recorded.keyless then
            remarks := remarks || jsonb_build_object('left', 'keyless', 'table', recorded.relation);
            continue;
        end if;
        shape := usher.shape(recorded.oid, array(select jsonb_array_elements_text(app -> 'secrets')));
        if shape is null or not usher.has_key(shape) then
            raise exception '% is no longer what it was when the operation ran', recorded.relation using errcode = 'US003',
                  detail = jsonb_build_object('refusal', 'other_table', 'table', recorded.relation)::text;
        end if;
        select c.value ->> 'name' into secret
          from jsonb_array_elements(shape -> 'columns') c where (c.value ->> 'secret')::boolean limit 1;
        if recorded.kind = 'delete' and secret is not null then
            raise exception '% holds %, which is never recorded, so its rows cannot be made again', recorded.relation, secret
                  using errcode = 'US003', detail = jsonb_build_object('refusal', 'secret_rows', 'table', recorded.relation, 'column', secret)::text;
        end if;
        if recorded.secret is not null then
            raise exception 'it changed % of %, which is never recorded, so nobody knows what it was', recorded.secret, recorded.relation
                  using errcode = 'US003', detail = jsonb_build_object('refusal', 'secret_column', 'table', recorded.relation, 'column', recorded.secret)::text;
        end if;
        if recorded.kind = 'update' and not exists (
            select from jsonb_array_elements(shape -> 'columns') c (of)
             where (c.of ->> 'settable')::boolean and c.of ->> 'name' = any (recorded.columns)) then
            remarks := remarks || jsonb_build_object(
                'left', 'overwritten', 'table', recorded.relation, 'names', array_to_string(recorded.columns, ', '));
            continue;
        end if;
        pieces := pieces || (usher.undo_piece(shape, operation, recorded.kind, recorded.columns, undo_steps.chosen)
                             || jsonb_build_object('changes', recorded.changes));
    end loop;
    if pieces = '[]' then
        raise exception 'nothing of what it did can be taken back' using errcode = 'US003',
              detail = jsonb_build_object('refusal', 'irreversible', 'because', remarks -> 0)::text;
    end if;
    return jsonb_build_object(
        'pieces', usher.parents_first(pieces),
        'remarks', (select coalesce(jsonb_agg(r.value order by r.place), '[]')
                      from (select x.value, min(x.place) as place from jsonb_array_elements(remarks) with ordinality as x (value, place)
                             group by 1) r));
end
$$;
