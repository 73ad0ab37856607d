-- Refuses because of rows ({key, unlike, ...} each) that are not as they should be.
create or replace function usher.refuse_found(rows jsonb, refusal text, complaint text) returns void
language plpgsql immutable
as $$
begin
    if rows <> '[]' then
        raise exception '%; nothing was changed', complaint using errcode = 'US010',
              detail = jsonb_build_object('refusal', refuse_found.refusal, 'rows', jsonb_path_query_array(rows, '$[0 to 10]'))::text;
    end if;
end
$$;
