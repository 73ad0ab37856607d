-- The addresses of people, from the columns that the file of an app declares; none where no app is installed whose users
-- are the rows of this root.
create or replace function usher.addresses(root jsonb, key text, type text, keys text[]) returns text[]
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
    place record;
    own text[];
    found text[] := '{}';
begin
    for place in
        select quote_ident(e ->> 'schema') || '.' || quote_ident(e ->> 'table') as name, e ->> 'key' as key,
               c.atttypid::regtype::text as type,
               string_agg(distinct format('t.%I::text collate "default"', e ->> 'column'), ', ') as columns
          from usher.act a
         cross join lateral jsonb_array_elements(a.definition -> 'emails') as e
          join pg_attribute c on c.attrelid = to_regclass(quote_ident(e ->> 'schema') || '.' || quote_ident(e ->> 'table'))
                             and c.attname = e ->> 'key' and c.attnum > 0 and not c.attisdropped
         where a.kind = 'app' and a.retired_at is null and a.definition #>> '{root,schema}' = addresses.root ->> 'schema'
           and a.definition #>> '{root,table}' = addresses.root ->> 'table'
           and a.definition #>> '{root,key}' = addresses.key
         group by 1, 2, 3
    loop
        execute format('select array(select a.address
                                       from %s t cross join lateral unnest(array[%s]) as a (address)
                                      where t.%I = any ($1::%s[])
                                      group by 1)', place.name, place.columns, place.key, place.type)
           into own using addresses.keys;
        found := found || array_remove(own, null);
    end loop;
    return found;
end
$$;
