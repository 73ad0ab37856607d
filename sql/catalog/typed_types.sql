-- The SQL names of types ($1, by name or oid).
select case when t.type ~ '^[0-9]+$' then format_type(t.type::oid, -1) else t.type end as type
  from unnest($1::text[]) with ordinality as t (type, place)
 order by t.place
