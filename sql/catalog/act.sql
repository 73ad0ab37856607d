-- Calls a function of the schema usher ($1 its name, $2 the request) and returns its report as rows. The report has the outcome, the
-- subjects, the changed rows, refusals and warnings, decisions before and after, and totals.
with answer as materialized (
    select usher.call($1::text, $2::jsonb) as report
),
parts (part, place, item) as (
    select 'answer', 0, (a.report || coalesce(a.report -> 'error', '{}'))
                        - array['changes', 'subjects', 'refused', 'warnings', 'decisions', 'impacts', 'remarks', 'error', 'names', 'users']
      from answer a
     union all
    select p.part, e.place, e.item
      from answer a
     cross join (values ('subject', 'subjects'), ('change', 'changes'), ('refused', 'refused'), ('warning', 'warnings'),
                        ('decision', 'decisions'), ('impact', 'impacts'), ('remark', 'remarks')) as p (part, name)
     cross join lateral jsonb_array_elements(a.report -> p.name) with ordinality as e (item, place)
),
-- The CTE is materialized, so that the server doesn't parse a long report again for each name.
labels (key, name) as materialized (
    select n.key, n.value from answer a, jsonb_each_text(case jsonb_typeof(a.report -> 'names') when 'object' then a.report -> 'names' end) n
)
select p.part, o.outcome, o.now, o.fingerprint, o.total, o.done, o.refusals, o.changed, o.passed, o.state, o.message,
       o.detail, o.hint, o."table", o.step, o.kind,
       case when p.part = 'decision' then o.before #>> '{}' else o.before::text end as before,
       case when p.part = 'decision' then o.after #>> '{}' else o.after::text end as after, o.decision, o.per, o.remark, o.promise, o.unanswered,
       o.unavailable, o.role, o.moved, (o.others ->> 'users')::bigint as others,
       array(select jsonb_array_elements_text(case jsonb_typeof(o.others) when 'object' then o.others -> 'tables' else '[]' end)) as other_tables,
       (select array_agg(l.lock) from jsonb_array_elements_text(o.locks) as l (lock)) as locks,
       case when p.part = 'subject' then p.item #>> '{}' else coalesce(o.key #>> '{}', o."user") end as key,
       case when p.part = 'change' then array(select k.value from jsonb_each_text(o.key) k)
            when o."of" is not null then array(select jsonb_array_elements_text(o."of")) end as key_texts,
       coalesce(c.names, f.names) as names, coalesce(c.types, f.types) as types, c.befores, coalesce(c.afters, f.texts) as afters,
       c.secrets, g.names as later_names, g.types as later_types, g.texts as later_texts,
       label.name as label,
       (o.error ->> 'message') as error, o."unlike", o."left", case when p.part in ('refused', 'remark') then o.names end as unlike_names
  from parts p
 cross join lateral jsonb_to_record(case jsonb_typeof(p.item) when 'object' then p.item else '{}' end)
            as o (outcome text, now text, fingerprint text, total bigint, done bigint, refusals bigint, changed bigint, passed bigint,
                  state text, message text, detail text, hint text, "table" text, step text, kind text,
                  key jsonb, before jsonb, after jsonb, decision text, per text, "user" text, remark integer, promise integer,
                  unanswered boolean, unavailable text, role text, moved boolean, others jsonb, locks jsonb, error jsonb,
                  "unlike" text, "of" jsonb, "left" text, names text)
  left join lateral (
       select array_agg(x.value ->> 0 order by x.place) as names, array_agg(x.value ->> 1 order by x.place) as types,
              array_agg(x.value ->> 2 order by x.place) as befores, array_agg(x.value ->> 3 order by x.place) as afters,
              array(select jsonb_array_elements_text(p.item -> 'secrets')) as secrets
         from jsonb_array_elements(p.item -> 'columns') with ordinality as x (value, place)) c on p.part = 'change'
  left join lateral (
       select array_agg(x.key) as names, array_agg(x.value ->> 0) as texts, array_agg(x.value ->> 1) as types
         from jsonb_each(case p.part when 'impact' then case jsonb_typeof(p.item -> 0) when 'object' then p.item -> 0 end
                                     else p.item -> 'facts' end) x) f on p.part in ('refused', 'warning', 'impact')
  left join lateral (
       select array_agg(x.key) as names, array_agg(x.value ->> 0) as texts, array_agg(x.value ->> 1) as types
         from jsonb_each(case jsonb_typeof(p.item -> 1) when 'object' then p.item -> 1 end) x) g on p.part = 'impact'
  left join labels label on p.part = 'decision' and label.key = o."user"
 order by p.part <> 'answer', p.place
