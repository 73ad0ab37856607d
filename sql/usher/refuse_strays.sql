-- Refuses to change or delete rows that nobody spoke of, where an act is confined to some: questions for the names of those.
create or replace function usher.refuse_strays(confines jsonb, changes jsonb) returns void
language plpgsql volatile
as $$
declare
    question text;
    own jsonb;
    known jsonb := '[]';
    strays jsonb;
begin
    if coalesce(confines, '[]') = '[]' then return; end if;
    for question in select jsonb_array_elements_text(confines) loop
        execute format('select jsonb_agg(jsonb_build_array(q.relation, q.key)) from (%s) q (relation, key)', question) into own;
        known := known || coalesce(own, '[]');
    end loop;
    select jsonb_agg(s.of) into strays
      from (select jsonb_build_object('table', c.value -> 'table', 'key', c.value ->> 'key', 'kind', c.value -> 'kind') as of
              from jsonb_array_elements(refuse_strays.changes) c
             where c.value ->> 'kind' <> 'insert'
               and not exists (select from jsonb_array_elements(known) k
                                where k.value -> 0 = c.value -> 'table' and k.value -> 1 = c.value -> 'key')
             limit 10) s;
    if strays is not null then
        raise exception 'others refer to what it would remove; nothing was changed' using errcode = 'US003',
              detail = jsonb_build_object('refusal', 'strays', 'rows', strays)::text;
    end if;
end
$$;
