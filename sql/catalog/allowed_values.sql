-- The allowed values of some columns, from an enum type or from a CHECK constraint with a list of constants.
select a.attrelid as "table", a.attnum as "column", v.value
  from unnest($1::oid[], $2::int[]) as wanted ("table", "column")
  join pg_attribute a on a.attrelid = wanted."table" and a.attnum = wanted."column"
 cross join lateral (
       select e.enumlabel::text as value from pg_enum e where e.enumtypid = a.atttypid
        union
       select m[1]
         from pg_constraint c
        cross join lateral regexp_matches(pg_get_constraintdef(c.oid), '''((?:[^'']|'''')*)''::', 'g') m
        where c.conrelid = a.attrelid and c.contype = 'c' and c.conkey = array[a.attnum]
          and pg_get_constraintdef(c.oid) ~ '^CHECK \(.* = ANY \(+ARRAY\['
          and pg_get_constraintdef(c.oid) !~ ' (AND|OR) ') v
 order by 1, 2, 3
