-- How rows of a table with some keys differ from their images, one change a row. Values are compared as they are written,
-- since 1.10 equals 1.1 and is not the same. Of secrets only the names come back. A row that was replaced by another one with
-- the same key is one that went and one that came.
create or replace function usher.differences(
    shape jsonb, images jsonb, keys jsonb, are_replaced boolean, salt text
) returns jsonb
language plpgsql volatile
as $$
declare
    found jsonb;
begin
    execute format(
        $query$
        with b as (select e.value -> 'k' as k, e.value -> 'i' as image from jsonb_array_elements($1) e),
             a as (%s),
             c as (select c.of ->> 'name' as name, c.place, (c.of ->> 'secret')::boolean as is_secret,
                          c.of -> 'type_oid' as type, (c.of ->> 'in_key')::boolean as in_key
                     from jsonb_array_elements($3 -> 'columns') with ordinality as c (of, place))
        select jsonb_agg(
                   jsonb_build_object(
                       'kind', case when p.b is null then 'insert' when p.a is null then 'delete' else 'update' end,
                       'table', $3 ->> 'name', 'key', key.object, 'before', diff.before, 'after', diff.after,
                       'columns', diff.columns, 'secrets', diff.secrets)
                   order by array(select jsonb_array_elements_text(k)),
                            case when p.b is null then 'insert' when p.a is null then 'delete' else 'update' end)
          from b full join a using (k)
         cross join lateral (
               select b.image, a.image where not ($4 and a.image is not null and b.image is not null)
                union all select b.image, null where $4 and a.image is not null and b.image is not null
                union all select null, a.image where $4 and a.image is not null and b.image is not null) p (b, a)
         cross join lateral (select jsonb_object_agg(c.name, coalesce(a.image, b.image) -> c.name) as object
                               from c where c.in_key) key
         cross join lateral (
               select case when p.b is not null
                           then coalesce(jsonb_object_agg(c.name, e.before) filter (where not c.is_secret), '{}') end as before,
                      case when p.a is not null
                           then coalesce(jsonb_object_agg(c.name, e.after) filter (where not c.is_secret), '{}') end as after,
                      coalesce(jsonb_agg(jsonb_build_array(c.name, c.type, e.before #>> '{}', e.after #>> '{}') order by c.place)
                                 filter (where not c.is_secret), '[]') as columns,
                      coalesce(jsonb_agg(c.name order by c.place) filter (where c.is_secret), '[]') as secrets
                 from (select coalesce(x.key, y.key) as name, x.value as before, y.value as after
                         from jsonb_each(p.b) x full join jsonb_each(p.a) y on x.key = y.key) e
                 join c on c.name = e.name
                where p.a is null or p.b is null or e.before::text is distinct from e.after::text) diff
         where a.image::text is distinct from b.image::text
        $query$,
        case when (shape ->> 'distributed')::boolean then 'select e.value -> ''k'' as k, e.value -> ''i'' as image from jsonb_array_elements($2) e'
             else format('select %s as k, %s as image from %s t join jsonb_array_elements($2) e on %s',
                         usher.key_texts(shape), usher.image(shape, salt), shape ->> 'sql', usher.key_join(shape)) end)
       into found
      using differences.images, case when (shape ->> 'distributed')::boolean then usher.images(shape, differences.keys, salt) else differences.keys end,
            shape, differences.are_replaced;
    return coalesce(found, '[]');
end
$$;
