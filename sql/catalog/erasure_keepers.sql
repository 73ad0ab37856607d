-- What keeps rows of some tables ($1) although no trigger of the app does: rules that rewrite statements, and keys whose own
-- triggers do not fire.
select r.ev_class as "table",
       format('the rule %I on %s rewrites what should %s', r.rulename, t.name,
              case r.ev_type when '4' then 'delete' else 'update' end) as why
  from pg_rewrite r
  join pg_class c on c.oid = r.ev_class
 cross join lateral (select format('%I.%I', c.relnamespace::regnamespace::text, c.relname) as name) t
 where r.ev_class = any ($1::oid[]) and r.ev_type in ('2', '4') and c.relkind in ('r', 'p')
 union
select k.conrelid, format('the triggers of the foreign key %I of %s are switched off', k.conname, k.conrelid::regclass)
  from pg_constraint k
  join pg_trigger g on g.tgconstraint = k.oid
 where k.contype = 'f' and (k.conrelid = any ($1::oid[]) or k.confrelid = any ($1::oid[])) and g.tgenabled in ('D', 'R')
 union
select null, 'session_replication_role is replica, so no foreign key and no trigger is looked after'
 where current_setting('session_replication_role') = 'replica'
 order by 1, 2
