-- Whether the rows of a table are users of a root: its own, and those whose key is a foreign key to theirs.
create or replace function usher.holds_users(root jsonb, relation oid) returns boolean
language plpgsql stable
as $$
begin
    return (
    select exists (
        select from pg_class r
          join pg_namespace n on n.oid = r.relnamespace
          join pg_attribute k on k.attrelid = r.oid and k.attname = root ->> 'key'
         where n.nspname = root ->> 'schema' and r.relname = root ->> 'table'
           and (r.oid = holds_users.relation
                or exists (select from pg_constraint f
                             join pg_index i on i.indrelid = f.conrelid and i.indisprimary
                            where f.contype = 'f' and f.conrelid = holds_users.relation and f.confrelid = r.oid
                              and f.confkey = array[k.attnum] and i.indnkeyatts = 1 and i.indkey[0] = f.conkey[1]))));
end
$$;
