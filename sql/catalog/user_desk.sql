-- The latest notes, the open requests and the last change of one user of an app ($1). $2 is the key of the user; if NULL, the query uses
-- the key that the previous statement found.
with
whom as materialized (
    select quote_ident(a.definition #>> '{root,schema}') || '.' || quote_ident(a.definition #>> '{root,table}') as root,
           coalesce($2::text, nullif(current_setting('usher.user', true), '')) as key
      from usher.act a
     where a.app = $1 and a.kind = 'app' and a.retired_at is null
     order by a.installed_at desc
     limit 1
),
notes as (
    select 'note' as part, o.id, o.at, o.operator, o.payload ->> 'text' as text, o.payload ->> 'ticket' as ticket, null::text as role,
           null::text as reason, false as own
      from whom w
      join usher.note n on n.key = w.key and n.root = w.root
      join usher.operation o on o.id = n.operation
     order by o.at desc
     limit 50
),
requests as (
    select 'request' as part, o.id, o.at, o.operator,
           -- For an action on an object, the text also has the object.
           concat_ws(' ', o.payload -> 'asks' ->> 'command',
                     case when not coalesce(o.payload -> 'asks' -> 'keys', '[]') <@ to_jsonb(o.subjects) then o.payload ->> 'target' end,
                     (select string_agg(a.value, ' ' order by a.key) from jsonb_each_text(o.payload -> 'arguments') a)) as text,
           o.payload ->> 'ticket' as ticket, r.role, null::text as reason, o.operator = session_user as own
      from whom w
      join usher.request r on r.answer is null
      join usher.operation o on o.id = r.operation and o.root = w.root and w.key = any (o.subjects)
     order by o.at
     limit 50
),
-- The query uses the index on users, because reading by time would read all users of each operation.
change as (
    select 'change' as part, coalesce(o.parent, o.id) as id, o.at, o.operator,
           o.command || case usher.outcome(o.id) when 'undone' then ', undone since' else '' end as text, o.payload ->> 'ticket' as ticket,
           null::text as role, o.payload ->> 'reason' as reason, o.operator = session_user as own
      from (select s.id, s.parent, s.at, s.kind, s.outcome, s.command, s.operator, s.payload
              from usher.operation s
             where s.subjects @> array[(select w.key from whom w)]
            offset 0) o
     where o.kind in ('change', 'batch', 'undo') and o.outcome in ('committed', 'partial')
     order by o.at desc
     limit 1
)
select r.* from requests r
 union all
select n.* from notes n
 union all
select c.* from change c
