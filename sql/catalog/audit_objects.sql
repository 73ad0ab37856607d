-- Functions, triggers, tables and types of the schema usher that differ from this version of usher ($1 has the lines of audit_digests.sql). The
-- column `line` is the matching line of audit_digests.sql for the installed object.
with
declared as (
    -- With Citus, the functions of citus.sql replace some of the others.
    select distinct on (l.line[3], l.line[4]) l.line[2] as digest, l.line[3] as kind, l.line[4] as name
      from regexp_matches($1, '^-- (citus )?(\S+) (function|trigger|table|type) (.+)$', 'gn') as l (line)
     where l.line[1] is null or to_regclass('pg_catalog.pg_dist_partition') is not null
     order by l.line[3], l.line[4], l.line[1] nulls last
),
installed as (
    select case when p.prokind in ('f', 'p') then encode(sha256(convert_to(pg_get_functiondef(p.oid), 'UTF8')), 'hex')
                else p.prokind::text end as digest,
           'function' as kind, format('usher.%s(%s)', p.proname, oidvectortypes(p.proargtypes)) as name
      from pg_proc p
     where p.pronamespace = 'usher'::regnamespace
     union all
    select encode(sha256(convert_to(t.tgenabled::text || pg_get_triggerdef(t.oid), 'UTF8')), 'hex'), 'trigger',
           format('%s on usher.%s', t.tgname, c.relname)
      from pg_trigger t
      join pg_class c on c.oid = t.tgrelid
     where c.relnamespace = 'usher'::regnamespace and not t.tgisinternal
     union all
    select c.relkind::text, 'table', format('usher.%s', c.relname)
      from pg_class c
     where c.relnamespace = 'usher'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
     union all
    select encode(sha256(convert_to(
               string_agg(format('%s %s.%s', a.attname, t.typnamespace::regnamespace, t.typname), ', ' order by a.attnum), 'UTF8')), 'hex'),
           'type', format('usher.%s', c.relname)
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      join pg_type t on t.oid = a.atttypid
     where c.relnamespace = 'usher'::regnamespace and c.relkind = 'c'
     group by c.relname
)
select coalesce(i.kind, d.kind) as problem, null::uuid as operation,
       format('the %s %s %s', coalesce(i.kind, d.kind), coalesce(i.name, d.name),
              case when i.name is null then 'is missing'
                   when d.name is null then 'is not part of usher'
                   when d.kind = 'table' then 'is not an ordinary table'
                   else 'was changed' end) as detail,
       format('%s %s %s', i.digest, i.kind, i.name) as line
  from declared d
  full join installed i on i.kind = d.kind and i.name = d.name
 where i.digest is distinct from d.digest
 order by coalesce(i.kind, d.kind), coalesce(i.name, d.name) collate "C"
