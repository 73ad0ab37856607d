-- The session settings that functions, policies, defaults, conditions and views of the database read. The query reads all objects, because
-- triggers can fire other triggers. It returns only settings with a dot in their name, because the others belong to the server. If a
-- function computes the name of a setting, the result has the name of the function instead.
with texts (name, text) as (
    select p.oid::regprocedure::text, regexp_replace(coalesce(pg_get_function_sqlbody(p.oid), p.prosrc), '--[^\n]*|/\*.*?\*/', '', 'g')
      from pg_proc p
      join pg_namespace n on n.oid = p.pronamespace and n.nspname not in ('pg_catalog', 'information_schema', 'usher')
      join pg_language l on l.oid = p.prolang and l.lanname not in ('c', 'internal')
     union all
    select null, concat_ws(' ', pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)) from pg_policy p
     union all
    select null, pg_get_expr(d.adbin, d.adrelid) from pg_attrdef d
     union all
    select null, pg_get_constraintdef(k.oid) from pg_constraint k where k.contype = 'c'
     union all
    select null, pg_get_triggerdef(g.oid) from pg_trigger g where g.tgqual is not null
     union all
    select null, pg_get_ruledef(w.oid)
      from pg_rewrite w
      join pg_class c on c.oid = w.ev_class
      join pg_namespace n on n.oid = c.relnamespace and n.nspname not in ('pg_catalog', 'information_schema', 'usher')
)
select 'setting' as kind, lower(s.m[1]) as name
  from texts t
 cross join lateral regexp_matches(
       t.text, '\mcurrent_setting\s*\(\s*''([a-z_][a-z0-9_$]*(?:\.[a-z_][a-z0-9_$]*)+)''', 'gi') as s (m)
 where t.text like '%.%' and not exists (select from pg_settings g where lower(g.name) = lower(s.m[1]))
 union
select 'function', t.name
  from texts t
 where t.name is not null and t.text ~* '\mcurrent_setting\s*\(\s*(?!''[^'']*''(::text)?\s*[,)])'
 order by 1, 2
