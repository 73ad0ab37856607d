-- Records that contradict each other.
select 'payload' as problem, r.operation,
       format('the payload of %s is missing, and no deletion is recorded', coalesce('change ' || r.ordinal, 'the operation')) as detail
  from (select o.id as operation, null::integer as ordinal, o.erased from usher.operation o where o.payload is null
         union all
        select c.operation, c.ordinal, c.erased from usher.change c where c.payload is null) r
 where not exists (select from usher.operation o
                    where o.id = r.erased and o.kind = 'erasure' and o.outcome = 'committed')
 union all
select 'change', c.operation, format('%s changes belong to no operation', count(*))
  from usher.change c
 where not exists (select from usher.operation o where o.id = c.operation)
 group by c.operation
 union all
select 'erasure', o.id, 'the operation is recorded as a deletion, but usher never checked that the user was deleted'
  from usher.operation o
 where o.kind = 'erasure' and o.outcome = 'committed'
   and not exists (select from usher.erasure e where e.operation = o.id and e.gone)
 union all
select 'restore', o.id, 'the operation is recorded as a restore, but usher never checked that the user exists again'
  from usher.operation o
 where o.kind = 'restore' and o.outcome = 'committed'
   and not exists (select from usher.erasure e where e.operation = o.id and e.back)
 union all
select 'restore', o.id, format('the operation is recorded as the restore of %s, but the archive is from another deletion', o.undoes)
  from usher.operation o
 where o.kind = 'restore' and o.outcome = 'committed' and o.undoes is not null
   and not exists (select from usher.operation d
                    where d.id = o.undoes and d.kind = 'erasure' and d.outcome = 'committed'
                      and d.payload ->> 'claim' = o.payload ->> 'claim')
 union all
select 'undo', u.id, format('the operation is the undo of %s, but changed no rows', u.undoes)
  from usher.operation u
 where u.kind = 'undo' and u.outcome in ('committed', 'partial')
   and exists (select from usher.change c where c.operation = u.undoes)
   and not exists (select from usher.change c where c.operation = u.id)
 union all
-- Each committed operation of an app must have changes, except a batch of a deletion.
select 'change', o.id, 'the operation is recorded as done, but changed nothing'
  from usher.operation o
 where o.kind in ('change', 'batch', 'undo') and o.outcome in ('committed', 'partial') and o.app_digest is not null
   and not exists (select from usher.change c where c.operation = o.id or o.kind = 'undo' and c.operation = o.undoes)
   and not exists (select from usher.operation p
                    where p.id = o.parent and (p.kind <> 'bulk' or p.command = 'account delete'))
 union all
select 'part', o.id, coalesce('the operation is a batch of ' || o.parent || ', but there is no such operation', 'the operation is a batch, but its record contains no bulk change')
  from usher.operation o
 where (o.parent is not null or o.kind in ('batch', 'end') and o.outcome in ('committed', 'partial'))
   and not exists (select from usher.operation p where p.id = o.parent)
 union all
select 'part', o.id, format('the operation is a batch of %s, but that operation is not its bulk change or deletion', o.parent)
  from usher.operation o
  join usher.operation p on p.id = o.parent
 where p.kind not in ('bulk', 'erasure') or p.outcome <> 'committed'
    or p.kind = 'bulk' and p.command <> 'account delete' and coalesce(o.app_digest, p.app_digest) is not null
       and (o.app, o.app_digest, o.command) is distinct from (p.app, p.app_digest, p.command)
 union all
select 'undo', u.id, coalesce('the operation is the undo of ' || u.undoes || ', but there is no such operation', 'the operation is an undo, but its record doesn''t contain the undone operation')
  from usher.operation u
 where (u.undoes is not null or u.kind = 'undo' and u.outcome in ('committed', 'partial'))
   and not exists (select from usher.operation o where o.id = u.undoes)
 union all
-- A batch without changes has the outcome `refused`, but its record counts the users that already had the new values. Batches after the
-- last `end` record belong to a resumed run.
select 'bulk', e.parent, format('the end record counts %s changed users, but the batches count %s', e.done, coalesce(sum(b.done), 0))
  from (select distinct on (e.parent) e.parent, e.at,
               case when jsonb_typeof(e.payload -> 'done') = 'number' then (e.payload ->> 'done')::numeric end as done
          from usher.operation e
         where e.kind = 'end' and e.parent is not null
         order by e.parent, e.at desc) e
  left join (select b.parent, b.at,
                    case when jsonb_typeof(b.payload -> 'done') = 'number' then (b.payload ->> 'done')::numeric end as done
               from usher.operation b
              where b.kind = 'batch' and b.outcome <> 'lost') b on b.parent = e.parent and b.at <= e.at
 where e.done is not null
 group by e.parent, e.done
having count(b.done) = count(b.parent) and coalesce(sum(b.done), 0) <> e.done
 union all
-- Compares the number of changed rows in the record of the end with the recorded changes of the batches.
select 'bulk', e.parent, format('the end record counts %s changed rows, but the batches have %s', e.changed, c.rows)
  from (select distinct on (e.parent) e.parent,
               case when jsonb_typeof(e.payload -> 'changed') = 'number' then (e.payload ->> 'changed')::numeric end as changed
          from usher.operation e
         where e.kind = 'end' and e.parent is not null
         order by e.parent, e.at desc) e
 cross join lateral (
       select count(*) as rows from usher.operation b join usher.change c on c.operation = b.id where b.parent = e.parent) c
 where e.changed <> c.rows
 union all
-- This check skips bulk changes on objects, because several objects may belong to the same user.
select 'bulk', t.parent, format('%s of its users are in more than one of its batches', count(*))
  from (select b.parent
          from usher.operation w
          join usher.act a on a.app = w.app and a.digest = w.app_digest and a.kind = w.payload ->> 'kind'
                          and a.name = w.payload ->> 'name' and a.definition ->> 'subject' = 'users'
          join usher.operation b on b.parent = w.id and b.kind = 'batch' and b.outcome = 'committed'
         cross join unnest(b.subjects) as s (key)
         where not coalesce(b.payload -> 'others', '[]') ? s.key
           and w.kind = 'bulk' and w.undoes is null and b.payload is not null
         group by b.parent, s.key
        having count(*) > 1) t
 group by t.parent
 union all
select 'act', i.id, format('the record of the installation of %s is empty', i.app)
  from usher.operation i
 where i.kind = 'install' and i.outcome = 'committed' and i.payload is null
 union all
-- Compares the record of an installation with the installed actions. Actions that were disabled later count as enabled.
select 'act', i.id, format('the installed actions of %s differ from the recorded ones', i.app)
  from (select distinct on (o.app, o.app_digest) o.id, o.app, o.app_digest, o.at, o.payload ->> 'acts' as acts
          from usher.operation o
         where o.kind = 'install' and o.outcome = 'committed' and o.app_digest is not null
         order by o.app, o.app_digest, o.at desc) i
 where i.acts <> (
       select encode(sha256(convert_to(coalesce(jsonb_agg(
                  jsonb_build_array(a.kind, a.name, a.role, a.definition, extract(epoch from a.installed_at), a.installed_by,
                                    a.retired_at is null or a.retired_at > i.at)
                  order by a.kind collate "C", a.name collate "C"), '[]')::text, 'UTF8')), 'hex')
         from usher.act a
        where a.app = i.app and a.digest = i.app_digest)
 union all
select 'act', i.id, format('%s actions of %s are enabled or disabled, but the record of the installation differs', count(*), i.app)
  from (select distinct on (o.app) o.id, o.app, o.app_digest, o.at
          from usher.operation o
         where o.kind = 'install' and o.outcome = 'committed' and o.app_digest is not null
         order by o.app, o.at desc) i
  join usher.act a on a.app = i.app
                  and case when a.digest = i.app_digest then a.retired_at > i.at else a.retired_at is null end
 group by i.id, i.app
 union all
select 'act', null, format('%s actions of %s are enabled, but no installation of them is recorded', count(*), a.app)
  from usher.act a
 where a.retired_at is null
   and exists (select from usher.operation o where o.kind = 'install' and o.outcome = 'committed')
   and not exists (select from usher.operation o
                    where o.kind = 'install' and o.outcome = 'committed' and o.app = a.app and o.app_digest = a.digest)
 group by a.app
 union all
select 'act', o.id, format('the app file of %s with the recorded digest has no action %s', coalesce(o.app, 'nothing'), o.command)
  from usher.operation o
 where o.kind in ('change', 'batch') and o.outcome = 'committed' and o.undoes is null and o.app_digest is not null
   -- Batches of a deletion are not actions and have no recorded changes.
   and (o.kind = 'change' or exists (select from usher.change c where c.operation = o.id))
   and not exists (select from usher.act a
                    where a.app = o.app and a.digest = o.app_digest and coalesce(a.definition ->> 'command', a.name) = o.command)
 union all
select 'request', r.operation, 'the request has no operation in the audit log that made it'
  from usher.request r
 where not exists (select from usher.operation o where o.id = r.operation and o.kind = 'request' and o.outcome = 'committed')
 union all
select 'request', o.id, 'the operation made a request, but this request is missing'
  from usher.operation o
 where o.kind = 'request' and o.outcome = 'committed' and not exists (select from usher.request r where r.operation = o.id)
 union all
select 'request', r.operation, 'the role of the request, or whether it needs two people, differs from the installed action'
  from usher.request r
  join usher.operation o on o.id = r.operation
  join usher.act a on a.app = o.app and a.digest = o.app_digest
                  and a.kind = o.payload -> 'asks' ->> 'kind' and a.name = o.payload -> 'asks' ->> 'name'
 where r.role <> coalesce(a.definition ->> 'approve', a.role) or r.of_two <> (a.definition ->> 'approve' is not null)
 union all
select 'request', r.operation, 'the operation recorded as the answer does not answer this request'
  from usher.request r
 where r.answer is not null
   and not exists (select from usher.operation a
                    where a.id = r.answer and a.outcome = 'committed'
                      and (a.request = r.operation and a.kind in ('answer', 'change', 'bulk', 'undo')
                           or a.kind = 'erasure'
                              and exists (select from usher.operation o where o.id = r.operation and o.erased = a.id)))
 union all
select 'request', a.id, format('the operation answers request %s, but another operation is recorded as the answer', a.request)
  from usher.operation a
 where a.request is not null and a.outcome = 'committed'
   and not exists (select from usher.request r where r.operation = a.request and r.answer = a.id)
 union all
select 'request', a.id, format('the operation differs from request %s', a.request)
  from usher.operation a
  join usher.operation o on o.id = a.request
 where a.kind in ('change', 'bulk', 'undo') and a.outcome = 'committed'
   and (o.app is distinct from a.app or o.payload -> 'asks' ->> 'command' <> a.command
        or o.payload -> 'asks' ->> 'undoes' <> a.undoes::text
        or o.at > a.at
        or o.erased is null and jsonb_typeof(a.payload -> 'users') = 'array'
           and jsonb_typeof(o.payload -> 'asks' -> 'keys') = 'array'
           and o.payload -> 'asks' ->> 'selections' is null and not a.subjects <@ o.subjects)
 union all
select 'request', a.id, format('%s withdrew a request that %s made', a.operator, o.operator)
  from usher.operation a
  join usher.operation o on o.id = a.request
 where a.kind = 'answer' and a.command = 'request withdraw' and a.operator <> o.operator
 union all
-- The app file declares the actions that need two people.
select 'request', a.id, case when a.request is null then 'the operation needs two people in production, but answers no request'
                             else 'the operation needs two people, but one person requested and approved it' end
  from usher.operation a
  join usher.act c on c.app = a.app and c.digest = a.app_digest and c.kind = 'action' and c.name = a.command
  left join usher.operation o on o.id = a.request
 where a.kind in ('change', 'bulk') and a.outcome = 'committed' and c.definition ->> 'approve' is not null
   and case when a.request is null then a.payload ->> 'environment' = 'production' else o.operator = a.operator end
 union all
select 'note', n.operation, 'the note has no operation in the audit log that wrote it'
  from usher.note n
 where not exists (select from usher.operation o
                    where o.id = n.operation and o.kind = 'note' and o.outcome = 'committed' and o.root = n.root
                      and n.key = any (o.subjects))
 union all
select 'note', o.id, 'the operation wrote a note, but this note is missing'
  from usher.operation o
 where o.kind = 'note' and o.outcome = 'committed' and o.erased is null
   and not exists (select from usher.note n where n.operation = o.id)
 union all
select 'subjects', o.id, 'the record and the payload contain different users'
  from usher.operation o
 where o.erased is null and o.subjects is not null and jsonb_typeof(o.payload -> 'users') = 'array'
   and array(select distinct s.key collate "C" from unnest(o.subjects) as s (key) order by 1)
       <> array(select distinct u.key collate "C"
                  from jsonb_array_elements_text((o.payload -> 'users') || coalesce(o.payload -> 'others', '[]')) as u (key) order by 1)
