-- The addresses of people, from the columns that the file of an app declares; none where no app is installed whose users
-- are the rows of this root. With `alone`, only those that no other user has, in whatever case.
create or replace function usher.addresses(root jsonb, key text, type text, keys text[], alone boolean) returns text[]
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
    every text;
    found text[];
begin
    select string_agg(format(
               'select t.%3$I::text as key, a.address from %1$s t cross join lateral unnest(array[%2$s]) as a (address)
                 where a.address is not null and (t.%3$I = any ($1::%4$s[])) = $2',
               p.name, p.columns, p.key, p.type), ' union ') into every
      from (select quote_ident(e ->> 'schema') || '.' || quote_ident(e ->> 'table') as name, e ->> 'key' as key,
                   c.atttypid::regtype::text as type,
                   string_agg(distinct format('t.%I::text collate "default"', e ->> 'column'), ', ') as columns
              from usher.act a
             cross join lateral jsonb_array_elements(a.definition -> 'emails') as e
              join pg_attribute c on c.attrelid = to_regclass(quote_ident(e ->> 'schema') || '.' || quote_ident(e ->> 'table'))
                                 and c.attname = e ->> 'key' and c.attnum > 0 and not c.attisdropped
             where a.kind = 'app' and a.retired_at is null and a.definition #>> '{root,schema}' = addresses.root ->> 'schema'
               and a.definition #>> '{root,table}' = addresses.root ->> 'table'
               and a.definition #>> '{root,key}' = addresses.key
             group by 1, 2, 3) p;
    if every is null then return '{}'; end if;
    execute format('select array(select x.address from (%s) x group by 1)', every) into found using addresses.keys, true;
    if addresses.alone and found <> '{}' then
        -- A row of a user who does not exist any more does not count.
        execute format('with held as materialized (
                            select x.key, lower(x.address) as address from (%s) x where lower(x.address) = any ($4))
                        select array(select f.address from unnest($3) f (address)
                                      where lower(f.address) not in (
                                            select h.address from held h
                                             where exists (select from %I.%I r where r.%I::text = h.key)))',
                       every, addresses.root ->> 'schema', addresses.root ->> 'table', addresses.key)
           into found using addresses.keys, false, found, array(select lower(f.address) from unnest(found) f (address));
    end if;
    return found;
end
$$;
