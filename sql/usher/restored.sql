-- Refuses an undo that did not restore its rows, and says which columns it could not restore, because triggers overwrite them. Where
-- these are all that the operation changed, there is nothing to undo; of a sample that is only tried this says nothing.
create or replace function usher.restored(pieces jsonb, overwritten jsonb, is_sample boolean) returns jsonb
language plpgsql volatile
as $$
declare
    apart jsonb;
    remarks jsonb;
begin
    perform usher.refuse_found(usher.found(pieces, 'unrestored', overwritten), 'not_restored', 'it cannot be restored');
    apart := usher.found(pieces, 'apart');
    remarks := (select coalesce(jsonb_agg(jsonb_build_object('left', 'overwritten', 'table', o.relation, 'names', o.names) order by o.relation), '[]')
                  from (select a.of ->> 'table' as relation, string_agg(distinct n.name, ', ' order by n.name) as names
                          from jsonb_array_elements(apart) as a (of)
                         cross join lateral jsonb_array_elements_text(a.of -> 'names') as n (name)
                         group by 1) o);
    if not is_sample and not jsonb_path_exists(pieces, '$[*] ? (@.kind != "update")')
       and (select sum((p.value ->> 'changes')::bigint) from jsonb_array_elements(pieces) p)
           = (select count(*) from jsonb_array_elements(apart) as a (of) where jsonb_array_length(a.of -> 'names') = (a.of ->> 'total')::integer) then
        raise exception 'nothing of what it did can be taken back' using errcode = 'US003',
              detail = jsonb_build_object('refusal', 'irreversible', 'because', remarks -> 0)::text;
    end if;
    return remarks;
end
$$;
