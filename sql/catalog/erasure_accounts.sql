-- The accounts of a deletion in parts ($1) that stopped on the way; no row where it is none, or done.
select o.subjects as accounts
  from usher.operation o
 where o.id = $1::uuid and o.kind = 'bulk' and o.command = 'account delete' and o.subjects is not null
   and usher.outcome(o.id) in ('running', 'partial')
