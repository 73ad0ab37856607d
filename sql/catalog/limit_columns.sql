-- Numbers that stand in one table beside what they must not exceed, by their names: letters_used and letters_limit, used and limit.
  with number as (
       select c.oid, n.nspname || '.' || c.relname as "table", a.attname,
              lower(regexp_replace(a.attname, '([a-z0-9])([A-Z])', '\1_\2', 'g')) as name
         from pg_class c
         join pg_namespace n on n.oid = c.relnamespace
         join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where c.relkind in ('r', 'p') and not c.relispartition
          and n.nspname not in ('information_schema', 'usher') and n.nspname !~ '^pg_'
          and a.atttypid in ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'numeric'::regtype)),
       bound as (
       select number.*, trim(both '_' from regexp_replace(name, '(^|_)(limit|max|maximum|quota|allowance|included)(_|$)', '_')) as subject
         from number
        where name ~ '(^|_)(limit|max|maximum|quota|allowance|included)(_|$)'),
       counted as (
       select number.*, trim(both '_' from regexp_replace(name, '(^|_)(used|usage|count|consumed|spent)(_|$)', '_')) as subject
         from number
        where name ~ '(^|_)(used|usage|count|consumed|spent)(_|$)')
select counted."table", counted.attname as used, bound.attname as "limit"
  from counted
  join bound on bound.oid = counted.oid and rtrim(bound.subject, 's') = rtrim(counted.subject, 's')
 order by 1, 2, 3
