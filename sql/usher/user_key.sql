-- The column that tells which user of a root a row of a table is: the key of users in their own, in another one the primary key
-- that is a foreign key to it. NULL where rows are no users.
create or replace function usher.user_key(root jsonb, relation oid) returns text
language plpgsql stable
as $$
begin
    return (
    select a.attname
      from pg_class r
      join pg_namespace n on n.oid = r.relnamespace
      join pg_attribute k on k.attrelid = r.oid and k.attname = root ->> 'key'
      join pg_attribute a on a.attrelid = user_key.relation
     where n.nspname = root ->> 'schema' and r.relname = root ->> 'table'
       and case when r.oid = user_key.relation then a.attnum = k.attnum
                else exists (select from pg_constraint f
                               join pg_index i on i.indrelid = f.conrelid and i.indisprimary
                              where f.contype = 'f' and f.conrelid = a.attrelid and f.confrelid = r.oid
                                and f.confkey = array[k.attnum] and f.conkey = array[a.attnum]
                                and i.indnkeyatts = 1 and i.indkey[0] = a.attnum) end);
end
$$;
