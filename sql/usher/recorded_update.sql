-- The SQL that takes down what a statement `w` updated, as the changes `i` of the operation $4, one for each row of which something
-- is different; `d` has all that it updated, and tells of each row whether it strays: whether its key changed, or a secret, which
-- is recorded nowhere. Who wants to know how many they are reads `d` once.
-- `before` joins the rows `b` as they were, `usual` are the names of the columns that change in most rows. What is `stray` besides
-- is SQL.
--
-- A row in which just the usual ones change is one piece of JSON made at once; to take out what did not change costs as much again.
create or replace function usher.recorded_update(shape jsonb, before text, usual jsonb, stray text) returns text
language plpgsql stable
as $$
begin
    return (
    select format(
$statement$
d as materialized (
    select pg_catalog.row_number() over () - 1 as ordinal, %1$s as is_straying,
           case when %2$s then pg_catalog.to_jsonb(u)
                else (select pg_catalog.jsonb_build_object('table', %3$L::text, 'key', %4$s, 'before', (%5$s) - c.kept, 'after', (%6$s) - c.kept)
                        from (select pg_catalog.array_remove(array[%7$s]::text[], null) as kept offset 0) c
                       where pg_catalog.cardinality(c.kept) < %8$s) end as payload
      from w
      %9$s
     cross join lateral (select %10$s) k
     cross join lateral (select %11$s) o
     cross join lateral (select %12$s) n
     cross join lateral (select %3$L::text as "table", k as key, o as before, n as after) u),
x as materialized (
    select usher.salts((select pg_catalog.count(*) from d)) as salts),
i as (
    insert into usher.change (operation, ordinal, digest, salt, payload)
    select $4, d.ordinal, pg_catalog.sha256(s.salt || pg_catalog.convert_to(d.payload::text, 'UTF8')), s.salt, d.payload
      from d
     cross join lateral (select pg_catalog.substr((select x.salts from x), (d.ordinal * 16 + 1)::integer, 16) as salt offset 0) s
     where d.payload is not null)
$statement$,
        concat_ws(' or ', (select format('row(%s)::record operator(pg_catalog.*<>) row(%s)::record',
                                         string_agg('b.' || (c.of ->> 'sql'), ', '), string_agg('w.' || (c.of ->> 'sql'), ', '))
                             from jsonb_array_elements(parts.fixed) as c (of)), stray),
        concat_ws(' and ',
                  (select coalesce(string_agg(format('row(b.%1$s)::record operator(pg_catalog.*<>) row(w.%1$s)::record', c.of ->> 'sql'), ' and '), 'false')
                     from jsonb_array_elements(parts.free) as c (of) where usual ? (c.of ->> 'name')),
                  (select format('row(%s)::record operator(pg_catalog.*=) row(%s)::record',
                                 string_agg('b.' || (c.of ->> 'sql'), ', '), string_agg('w.' || (c.of ->> 'sql'), ', '))
                     from jsonb_array_elements(parts.free) as c (of) where not usual ? (c.of ->> 'name') having count(*) > 0)),
        shape ->> 'name', usher.object(parts.keyed, 'w'), usher.object(parts.free, 'b'), usher.object(parts.free, 'w'),
        (select string_agg(format('case when row(b.%1$s)::record operator(pg_catalog.*=) row(w.%1$s)::record then %2$L end',
                                  c.of ->> 'sql', c.of ->> 'name'), ', ')
           from jsonb_array_elements(parts.free) as c (of)),
        jsonb_array_length(parts.free),
        recorded_update.before,
        (select string_agg(usher.value(c.of, 'w.' || (c.of ->> 'sql')) || ' as ' || (c.of ->> 'sql'), ', ') from jsonb_array_elements(parts.keyed) as c (of)),
        (select string_agg(usher.value(c.of, 'b.' || (c.of ->> 'sql')) || ' as ' || (c.of ->> 'sql'), ', ')
           from jsonb_array_elements(parts.free) as c (of) where usual ? (c.of ->> 'name')),
        (select string_agg(usher.value(c.of, 'w.' || (c.of ->> 'sql')) || ' as ' || (c.of ->> 'sql'), ', ')
           from jsonb_array_elements(parts.free) as c (of) where usual ? (c.of ->> 'name')))
      from (select jsonb_agg(c.of order by c.place) filter (where k.in_key) as keyed,
                   jsonb_agg(c.of order by c.place) filter (where k.in_key or k.is_secret) as fixed,
                   coalesce(jsonb_agg(c.of order by c.place) filter (where not k.in_key and not k.is_secret), '[]') as free
              from jsonb_array_elements(shape -> 'columns') with ordinality as c (of, place)
             cross join lateral (select (c.of ->> 'in_key')::boolean, (c.of ->> 'secret')::boolean) as k (in_key, is_secret)) parts);
end
$$;
