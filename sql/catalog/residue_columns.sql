-- Every column that can hold a name of somebody, and whether the connected role may see all of it; numbers too where the
-- name is one ($1).
select c.oid as "table",
       n.nspname as schema,
       c.relname as name,
       c.relkind = 'm' as is_copy,
       c.relkind = 'p' as partitioned,
       greatest(c.reltuples, 0)::bigint as rows,
       a.attname as "column",
       case when b.type = 'uuid' then 'uuid'
            when b.type in ('smallint', 'integer', 'bigint', 'numeric') then 'number'
            when e.typname in ('int2', 'int4', 'int8', 'numeric') then 'numbers'
            else 'text' end as kind,
       a.attname ~* '(user|owner|author|creator|created?_?by|member|sender|recipient|receiver|(^|_)actor|assign|uid$|_by$|person|profile|customer|account)'
           as telling,
       -- A key of its own or a reference to another table counts something else.
       exists (select from pg_constraint k
                where k.conrelid = a.attrelid
                  and (k.contype = 'f' and a.attnum = any (k.conkey) or k.contype = 'p' and k.conkey = array[a.attnum]))
           as explained,
       has_schema_privilege(n.oid, 'usage') and has_column_privilege(c.oid, a.attnum, 'select') as readable,
       coalesce(row_security_active(c.oid), false) as secured
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_type t on t.oid = a.atttypid
  left join pg_type e on e.oid = t.typelem and t.typcategory = 'A'
 cross join lateral (select format_type(coalesce(nullif(t.typbasetype, 0), t.oid), null) as type) b
 where c.relkind in ('r', 'p', 'm')
   and not c.relispartition
   and n.nspname <> 'information_schema'
   and n.nspname !~ '^pg_'
   and (t.typcategory in ('S', 'C') or b.type in ('uuid', 'json', 'jsonb', 'xml', 'tsvector', 'name', 'jsonpath')
        or coalesce(e.typcategory, '') in ('S', 'C') or e.typname in ('uuid', 'json', 'jsonb', 'xml')
        or t.typname in ('hstore', 'ltree', 'citext')
        or $1::boolean and (b.type in ('smallint', 'integer', 'bigint', 'numeric')
                            or e.typname in ('int2', 'int4', 'int8', 'numeric')))
 order by 2, 3, a.attnum
