-- Refuses an erasure of which rows of the root stand, and a restoration of which not all came back. Looks as whoever calls it.
create or replace function usher.refuse_root(erasure usher.erasure) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp set row_security = off
as $$
declare
    standing bigint;
begin
    execute format('select count(*) from %s t where t.%I %s any ($1::%s[])',
                   erasure.root, erasure."column", erasure.equals, erasure.type)
       into standing using erasure.keys;
    if erasure.back is null and standing > 0 then
        raise exception 'an erasure of rows of % is open, and they still stand', erasure.root
              using errcode = 'restrict_violation', table = erasure.root,
                    hint = 'delete them, or roll the transaction back';
    end if;
    if not erasure.back and (erasure.standing > 0 or standing < cardinality(erasure.keys)) then
        raise exception 'a restoration of rows of % is open, and they did not come back', erasure.root
              using errcode = 'restrict_violation', table = erasure.root,
                    hint = 'insert them where none of them stood before, or roll the transaction back';
    end if;
end
$$;
