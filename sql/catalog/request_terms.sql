-- The change that a request ($1) describes, for its approval.
select o.operator, o.payload -> 'asks' ->> 'kind' as kind, o.payload -> 'asks' ->> 'name' as name,
       o.payload -> 'asks' ->> 'undoes' as undoes, o.payload ->> 'reason' as reason, o.payload ->> 'ticket' as ticket,
       array(select jsonb_array_elements_text(o.payload -> 'asks' -> 'keys')) as keys,
       array(select jsonb_array_elements_text(o.payload -> 'asks' -> 'selections')) as selections,
       array(select a.key from jsonb_each_text(o.payload -> 'asks' -> 'arguments') a order by a.key) as names,
       array(select a.value from jsonb_each_text(o.payload -> 'asks' -> 'arguments') a order by a.key) as "values"
  from usher.operation o
 where o.id = $1
