-- The objects that `usher uninstall` would remove from this database, and the reasons to refuse. Reasons are unfinished bulk changes and
-- deletions, and objects of other schemas that depend on the schema usher.
with inside (classid, objid) as (
    select 'pg_class'::regclass, c.oid from pg_class c where c.relnamespace = 'usher'::regnamespace
     union all
    select 'pg_proc'::regclass, p.oid from pg_proc p where p.pronamespace = 'usher'::regnamespace
     union all
    select 'pg_type'::regclass, t.oid from pg_type t where t.typnamespace = 'usher'::regnamespace
)
select current_database() as database, o.rolname as owner,
       (select count(*) from usher.operation) as operations,
       (select count(*) from usher.act a where a.retired_at is null and a.kind <> 'app') as actions,
       array(select u.id::text from usher.operation u
              where u.kind = 'bulk'
                and (usher.outcome(u.id) = 'running' or u.command = 'account delete' and usher.outcome(u.id) = 'partial')
              order by u.at) as unfinished,
       array(select distinct pg_describe_object(d.classid, d.objid, d.objsubid)
               from inside i
               join pg_depend d on (d.refclassid, d.refobjid) = (i.classid, i.objid) and d.deptype in ('n', 'a')
               left join pg_rewrite r on d.classid = 'pg_rewrite'::regclass and r.oid = d.objid
               left join pg_trigger t on d.classid = 'pg_trigger'::regclass and t.oid = d.objid
               left join pg_attrdef f on d.classid = 'pg_attrdef'::regclass and f.oid = d.objid
               left join pg_policy y on d.classid = 'pg_policy'::regclass and y.oid = d.objid
               left join pg_constraint k on d.classid = 'pg_constraint'::regclass and k.oid = d.objid
               left join pg_proc p on d.classid = 'pg_proc'::regclass and p.oid = d.objid
               left join pg_type e on d.classid = 'pg_type'::regclass and e.oid = d.objid
               left join pg_class c on c.oid = coalesce(
                         r.ev_class, t.tgrelid, f.adrelid, y.polrelid, case when d.classid = 'pg_class'::regclass then d.objid end)
              where coalesce(c.relnamespace, k.connamespace, p.pronamespace, e.typnamespace, 0) <> n.oid
              order by 1) as users
  from pg_namespace n
  join pg_roles o on o.oid = n.nspowner
 where n.nspname = 'usher'
