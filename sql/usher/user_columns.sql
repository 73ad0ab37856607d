-- The columns by which the rows of a table refer to users of a root.
create or replace function usher.user_columns(root jsonb, relation oid) returns text[]
language plpgsql stable
as $$
begin
    return (
    select coalesce(array_agg(distinct a.attname::text), '{}')
      from pg_class r
      join pg_namespace n on n.oid = r.relnamespace
      join pg_attribute k on k.attrelid = r.oid and k.attname = root ->> 'key'
      join pg_constraint f on f.contype = 'f' and f.conrelid = user_columns.relation and f.confrelid = r.oid and f.confkey = array[k.attnum]
      join pg_attribute a on a.attrelid = f.conrelid and a.attnum = f.conkey[1]
     where n.nspname = root ->> 'schema' and r.relname = root ->> 'table');
end
$$;
