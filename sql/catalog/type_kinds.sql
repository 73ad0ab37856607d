-- What values of some types, or of a list what it lists, are to those who compare them: texts, numbers, keys that are written
-- one way, instants, or other; and the type that they are of below their domains.
select t.oid, b.oid as base, format_type(t.oid, null) as name, e.oid is not null as is_list,
       case when b.typcategory = 'S' then 'text'
            when b.typcategory = 'N' then 'number'
            when b.typcategory = 'E' or b.typname = 'uuid' then 'key'
            when b.typcategory = 'D' then 'instant'
            else b.typname
       end as kind
  from unnest($1::oid[]) as wanted (oid)
  join pg_type t on t.oid = wanted.oid
  join pg_type l on l.oid = coalesce(nullif(t.typbasetype, 0), t.oid)
  left join pg_type e on e.oid = l.typelem and l.typcategory = 'A'
  join pg_type b on b.oid = coalesce(nullif(e.typbasetype, 0), e.oid, l.oid)
