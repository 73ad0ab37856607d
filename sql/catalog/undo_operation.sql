-- What an operation ($1) needs to be known by before it can be taken back.
select o.kind, o.command, usher.outcome(o.id) as outcome, o.app, o.erased is not null as erased,
       coalesce(o.payload -> 'final' = 'true', false) as final,
       (select array_agg(u.key) from jsonb_array_elements_text(o.payload -> 'users') u (key)) as users,
       (select u.id::text from usher.operation u where u.undoes = o.id and usher.outcome(u.id) = 'committed' limit 1)
           as undone_by
  from usher.operation o
 where o.id = $1
