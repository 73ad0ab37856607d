-- Bulk changes that have not processed one user yet; the user is $1, or the user that this transaction found. If the last change of the
-- user was an undo, the query also returns the undone operation. It skips bulk changes on objects, because an object can have the same key
-- as a user.
with person (key) as (
       select coalesce($1, nullif(current_setting('usher.user', true), ''))
)
select 'unfinished' as kind, o.id::text as id, o.command, o.at, o.operator, o.payload ->> 'reason' as reason,
       o.payload ->> 'ticket' as ticket,
       case when coalesce(o.payload -> 'arguments', '{}') = '{}' then
            (select string_agg('--' || s.name, ' ' order by s.place)
               from jsonb_array_elements_text(o.payload -> 'selections') with ordinality as s (name, place)) end as selected
  from usher.subject s
  join usher.operation o on o.id = s.operation and o.kind = 'bulk'
  join usher.act a on a.app = o.app and a.digest = o.app_digest and a.kind = o.payload ->> 'kind' and a.name = o.payload ->> 'name'
 where s.key = (select p.key from person p)
   and a.definition ->> 'subject' = 'users'
   and s.ordinal > coalesce((select max(b.last) from usher.operation b where b.parent = o.id and b.kind = 'batch'), 0)
   and usher.outcome(o.id) = 'running'
 union all
select 'undone', u.id::text, u.command, l.at, l.operator, l.payload ->> 'reason', l.payload ->> 'ticket', null
  -- The query uses the index on users, because reading by time would read all users of each operation.
  from (select o.id, o.at, o.operator, o.undoes, o.payload
          from (select s.id, s.at, s.kind, s.outcome, s.operator, s.undoes, s.payload from usher.operation s
                 where s.subjects @> array[(select p.key from person p)] offset 0) o
         where o.kind in ('change', 'batch', 'undo') and o.outcome in ('committed', 'partial')
         order by o.at desc
         limit 1) l
  join usher.operation u on u.id = l.undoes and u.kind <> 'undo'
 order by 4 desc
 limit 3
