-- The pairs of a number column and a limit column in the same table, found by their names: letters_used and letters_limit, or used and
-- limit. The words for limits ($1) and for counted numbers ($2) come from the lexicon.
  with pattern as (
       select '(^|_)(' || array_to_string($1::text[], '|') || ')(_|$)' as bound,
              '(^|_)(' || array_to_string($2::text[], '|') || ')(_|$)' as counted),
       number as (
       select c.oid, n.nspname || '.' || c.relname as "table", a.attname,
              lower(regexp_replace(a.attname, '([a-z0-9])([A-Z])', '\1_\2', 'g')) as name
         from pg_class c
         join pg_namespace n on n.oid = c.relnamespace
         join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where c.relkind in ('r', 'p') and not c.relispartition
          and n.nspname not in ('information_schema', 'usher') and n.nspname !~ '^pg_'
          and a.atttypid in ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'numeric'::regtype)),
       bound as (
       select number.*, trim(both '_' from regexp_replace(name, pattern.bound, '_')) as subject
         from number
        cross join pattern
        where name ~ pattern.bound),
       counted as (
       select number.*, trim(both '_' from regexp_replace(name, pattern.counted, '_')) as subject
         from number
        cross join pattern
        where name ~ pattern.counted)
select counted."table", counted.attname as used, bound.attname as "limit"
  from counted
  join bound on bound.oid = counted.oid and rtrim(bound.subject, 's') = rtrim(counted.subject, 's')
 order by 1, 2, 3
