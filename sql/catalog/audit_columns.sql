-- The changed columns of an operation: like audit_changes.sql, but with one row for each changed column. If $3 is true, each row has the
-- current type of the column; the type is NULL for a dropped column.
select c."table", c.key, c."column", c.before, c.after, c.type_oid, c.erased as erased_by
  from (select w.id, w.at
          from (select o.id, o.at from usher.operation o where o.id = $1
                 union all
                select o.id, o.at from usher.operation o where o.parent = $1) w
         order by w.at, w.id) p
 cross join lateral (
       select c.ordinal, i."table", i.key, v.name as "column", i.before ->> v.name as before, i.after ->> v.name as after, c.erased,
              case when $3::boolean
                   then (select a.atttypid from pg_attribute a where a.attrelid = t.oid and a.attname = v.name)::text end as type_oid
         from usher.change c
        cross join lateral (
              select c.payload ->> 'table' as "table", nullif(c.payload -> 'before', 'null') as before, nullif(c.payload -> 'after', 'null') as after,
                     (select string_agg(k.key || '=' || k.value, ', ' order by k.key) from jsonb_each_text(c.payload -> 'key') k) as key
              offset 0) i
         left join lateral jsonb_object_keys(coalesce(i.before, '{}') || coalesce(i.after, '{}')) v (name) on true
         left join lateral (
              select r.oid from pg_class r join pg_namespace n on n.oid = r.relnamespace
               where $3::boolean and n.nspname || '.' || r.relname = i."table"
              offset 0) t on true
        where c.operation = p.id
        order by c.ordinal, v.name
        limit $2) c
 order by p.at, p.id
 limit $2
