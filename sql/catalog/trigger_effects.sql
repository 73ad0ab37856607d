-- The effects of the triggers of some tables, found in the source of the trigger functions and of the functions that they call.
with recursive reached ("table", trigger, type, function) as (
       -- Postgres copies the triggers of a partitioned table to its partitions; the query skips these copies (tgparentid).
       select t.tgrelid, t.tgname, t.tgtype, t.tgfoid
         from pg_trigger t
        where t.tgrelid = any ($1::oid[]) and not t.tgisinternal and t.tgparentid = 0 and t.tgenabled in ('O', 'A')
        union
       select r."table", r.trigger, r.type, p.oid
         from reached r
         join pg_proc f on f.oid = r.function
        cross join lateral (
              select distinct lower(m[1]) as name
                from regexp_matches(coalesce(pg_get_function_sqlbody(f.oid), f.prosrc), '([a-z_][a-z0-9_]*)\s*\(', 'gi') m
              ) called
         join pg_proc p on p.proname = called.name
         join pg_namespace n on n.oid = p.pronamespace
        where n.nspname <> 'pg_catalog' and n.nspname <> 'information_schema'
), sources as materialized (
       -- With an array, the planner uses the index on pg_proc. This saves time, because triggers call only a few functions of a database.
       select p.oid, p.proname, p.pronamespace, p.prolang, p.prorettype,
              -- Many triggers can have the same function, so the query searches the source of each function only once.
              w.source ~* '\m(http|http_(get|post|put|patch|delete|head)|dblink\w*|pg_background_launch)\s*\('
              or w.source ~* '\m(net\.http_|aws_lambda)'
              or w.source ~* '\mcopy\M[^;]*\mprogram\M' as outside,
              w.source ~* '\mcurrent_setting\s*\(' or w.source ~* '\mauth\.(uid|jwt|role|email)\s*\(' as asks,
              (select string_agg(lower(s.m[1]), ' ')
                 from regexp_matches(w.source,
                      '\mcurrent_setting\s*\(\s*''([a-z_][a-z0-9_$]*(?:\.[a-z_][a-z0-9_$]*)+)''', 'gi') s (m)) as settings
         from pg_proc p
        cross join lateral (select coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) as source) w
        where p.oid = any (array(select r.function from reached r))
)
select r."table",
       r.trigger,
       (r.type & 1) > 0 as each_row,
       (r.type & 2) > 0 as before,
       (r.type & 4) > 0 as on_insert,
       (r.type & 8) > 0 as on_delete,
       (r.type & 16) > 0 as on_update,
       coalesce(bool_or(not l.lanpltrusted and l.lanname not in ('c', 'internal')
               or e.extname in ('http', 'dblink', 'pg_net', 'pg_background', 'aws_lambda')
               or p.outside), false) as outside,
       coalesce(bool_or(p.asks), false) as asks,
       -- The custom settings that the triggers read, for example for the id of the operator.
       array(select distinct s.name from unnest(string_to_array(string_agg(p.settings, ' '), ' ')) s (name) order by 1) as settings,
       min(format('%I.%I', n.nspname, p.proname)) filter (where p.prorettype = 'trigger'::regtype) as function
  from reached r
  join sources p on p.oid = r.function
  join pg_namespace n on n.oid = p.pronamespace
  join pg_language l on l.oid = p.prolang
  left join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
  left join pg_extension e on e.oid = d.refobjid and d.refclassid = 'pg_extension'::regclass
 group by r."table", r.trigger, r.type
 order by 1, 2
