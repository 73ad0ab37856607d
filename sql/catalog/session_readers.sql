-- What reads who is connected where some tables ($1 schemas, $2 names) are written: triggers, policies and defaults of these
-- tables and of those that rows of theirs lie in. It reads what its own text says, or that of a function which it calls.
with recursive
wanted as (
    select c.oid
      from unnest($1::text[], $2::text[]) as t (schema, name)
      join pg_namespace n on n.nspname = t.schema
      join pg_class c on c.relnamespace = n.oid and c.relname = t.name
),
reached (oid) as (
    select w.oid from wanted w
     union
    select next.oid
      from reached r
     cross join lateral (
           select i.inhrelid from pg_inherits i where i.inhparent = r.oid
            union all
           select d.refobjid
             from pg_class v
             join pg_rewrite w on w.ev_class = v.oid
             join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid
                             and d.refclassid = 'pg_class'::regclass and d.refobjid <> v.oid
            where v.oid = r.oid and v.relkind = 'v'
           ) as next (oid)
),
hooks as (
    select h.relation, h.kind, h.name, h.text, h.function, row_number() over () as number
      from (select g.tgrelid as relation, 'trigger' as kind, g.tgname as name, pg_get_triggerdef(g.oid) as text, g.tgfoid as function
              from pg_trigger g
             where not g.tgisinternal and g.tgenabled <> 'D'
             union all
            select p.polrelid, 'policy', p.polname,
                   concat_ws(' ', pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)), null
              from pg_policy p
             union all
            select d.adrelid, 'default', a.attname, pg_get_expr(d.adbin, d.adrelid), null
              from pg_attrdef d
              join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum) h
     where h.relation in (select r.oid from reached r)
),
functions as materialized (
    select p.oid, p.proname, regexp_replace(coalesce(pg_get_function_sqlbody(p.oid), p.prosrc), '--[^\n]*|/\*.*?\*/', '', 'g') as text
      from pg_proc p
      join pg_namespace n on n.oid = p.pronamespace and n.nspname not in ('pg_catalog', 'information_schema', 'usher')
      join pg_language l on l.oid = p.prolang and l.lanname not in ('c', 'internal')
),
-- A name before a bracket may be that of a function; of several that are called so any may be meant.
texts (hook, function, text) as (
    select h.number, h.function, h.text from hooks h
     union
    select t.hook, null, f.text
      from texts t
     cross join lateral (
           select array(select lower(m[1]) from regexp_matches(t.text, '([[:alpha:]_][[:alnum:]_$]*)"?\s*\(', 'g') m) as names) w
      join functions f on f.oid = t.function or f.proname = any (w.names)
),
found as (
    select t.hook, array_agg(distinct lower(u.m[1]) order by lower(u.m[1])) as users
      from texts t
     cross join lateral regexp_matches(t.text, '\m(current_user|session_user|current_role)\M', 'gi') as u (m)
     group by t.hook
)
select n.nspname || '.' || c.relname as "table", h.kind, h.name, f.users
  from hooks h
  join found f on f.hook = h.number
  join pg_class c on c.oid = h.relation
  join pg_namespace n on n.oid = c.relnamespace
 order by 1, array_position(array['trigger', 'policy', 'default'], h.kind), h.name
