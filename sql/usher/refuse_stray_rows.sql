-- Refuses an undo that would change or delete rows that its pieces are not about.
create or replace function usher.refuse_stray_rows(pieces jsonb, changes jsonb) returns void
language plpgsql volatile
as $$
declare
    known constant jsonb := usher.found(pieces, 'confine');
    strays jsonb;
begin
    select jsonb_agg(s.of) into strays
      from (select jsonb_build_object('table', c.value -> 'table', 'key', c.value ->> 'key', 'kind', c.value -> 'kind') as of
              from jsonb_array_elements(refuse_stray_rows.changes) c
             where c.value ->> 'kind' <> 'insert'
               and not exists (select from jsonb_array_elements(known) k
                                where k.value -> 'relation' = c.value -> 'table' and k.value -> 'key' = c.value -> 'key')
             limit 10) s;
    if strays is not null then
        raise exception 'others refer to what it would remove; nothing was changed' using errcode = 'US003',
              detail = jsonb_build_object('refusal', 'strays', 'rows', strays)::text;
    end if;
end
$$;
