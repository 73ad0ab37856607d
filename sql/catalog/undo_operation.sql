-- Whom an operation ($1) was about, and whether it is one of many.
select o.kind = 'bulk' as is_bulk,
       array(select jsonb_array_elements_text(o.payload -> 'users')) as users
  from usher.operation o
 where o.id = $1
