-- The changes of an operation ($1), those of a kind that touch the same columns of a table together; columns that the
-- table's own triggers write are left to them.
select c.payload ->> 'table' as "table",
       (select t.oid::text from pg_class t join pg_namespace n on n.oid = t.relnamespace
         where n.nspname || '.' || t.relname = c.payload ->> 'table' and t.relkind in ('r', 'p')) as oid,
       case when jsonb_typeof(c.payload -> 'before') is distinct from 'object' then 'insert'
            when jsonb_typeof(c.payload -> 'after') is distinct from 'object' then 'delete' else 'update' end as kind,
       k.written as columns,
       c.payload -> 'key' = '{}' as keyless,
       count(*) as changes,
       count(c.erased) as erased,
       string_agg(distinct r.names, ', ') as rewritten,
       min(c.payload -> 'secrets' ->> 0) as secret
  from usher.change c
 cross join lateral (
       select coalesce(array_agg(e.name order by e.name), '{}') as written
         from jsonb_object_keys(case when jsonb_typeof(c.payload -> 'before') = 'object' then c.payload -> 'before'
                                     else '{}' end) e (name)
        where jsonb_typeof(c.payload -> 'after') = 'object'
          and not coalesce(c.payload -> 'rewritten', '[]') ? e.name) k
 cross join lateral (
       select string_agg(w.name, ', ' order by w.name) as names
         from jsonb_array_elements_text(coalesce(c.payload -> 'rewritten', '[]')) w (name)) r
 where c.operation = $1
 group by 1, 2, 3, 4, 5
 order by 1, 3
