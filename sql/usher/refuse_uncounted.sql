-- Refuses where statements say that they wrote more rows than the server counted where those lie. It may count more, since
-- triggers write too, and an update can be a row that goes and one that comes.
create or replace function usher.refuse_uncounted(relations jsonb, told jsonb, counts jsonb) returns void
language plpgsql stable
as $$
declare
    relation record;
    rows bigint;
    counted bigint;
begin
    for relation in
        select t.key as name, r.reach -> 'tables' as tables
          from jsonb_each(refuse_uncounted.told) t, lateral (select refuse_uncounted.relations -> t.key as reach) r
         where r.reach is not null and not (r.reach ->> 'is_diverted')::boolean
         order by 1
    loop
        select coalesce(sum((t.value #>> '{}')::bigint), 0) into rows
          from jsonb_each(refuse_uncounted.told) t, lateral (select refuse_uncounted.relations -> t.key as reach) r
         where not (r.reach ->> 'is_diverted')::boolean and r.reach -> 'tables' <@ relation.tables;
        select coalesce(sum((n.value #>> '{}')::bigint), 0) into counted
          from jsonb_array_elements_text(relation.tables) t (oid),
               jsonb_array_elements(refuse_uncounted.counts -> t.oid) n;
        if counted < rows then
            raise exception 'this server does not count what it changes in % (% written, % counted); nothing was changed',
                  trim(trailing ' *' from relation.name), rows, counted
                  using errcode = 'US003',
                        detail = jsonb_build_object('refusal', 'uncounted', 'table', trim(trailing ' *' from relation.name), 'written', rows, 'counted', counted)::text;
        end if;
    end loop;
end
$$;
