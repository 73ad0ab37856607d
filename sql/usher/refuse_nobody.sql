-- Refuses a deletion or a restoration of nobody, or of somebody without a key.
create or replace function usher.refuse_nobody(keys text[]) returns void
language plpgsql stable
as $$
begin
    if cardinality(keys) = 0 or array_position(keys, null) is not null then
        raise exception 'it is about nobody' using errcode = 'invalid_parameter_value';
    end if;
end
$$;
