-- The Citus servers that don't answer, and the servers without the current role or a role of which it is a member. Each server returns its
-- roles as a list of words.
with recursive member (oid) as (
       select r.oid from pg_roles r
        where r.rolname in ('usher_support', 'usher_admin', 'usher_engineer', 'usher_eraser', 'usher_auditor')
        union
       select m.member from member h join pg_auth_members m on m.roleid = h.oid
), role as materialized (
       select r.oid, r.rolname as name, r.rolcanlogin as logs_in from member h join pg_roles r on r.oid = h.oid
), known as materialized (
       select 1 as place, r.name::text as word,
              format('create role %I %s', r.name, case when r.logs_in then 'login' else 'nologin' end) as statement
         from role r
        union all
       select distinct 2, format('%s in %s', r.name, h.name), format('grant %I to %I', h.name, r.name)
         from pg_auth_members m
         join role r on r.oid = m.member
         join role h on h.oid = m.roleid
)
select w.nodename || ':' || w.nodeport as server, case when not w.success then w.result end as failure,
       array(select k.statement from known k where w.success and not w.result::jsonb ? k.word order by k.place, k.statement) as remedies
  from run_command_on_workers(format(
       $ask$select coalesce(jsonb_agg(k.word), '[]')
              from (select r.rolname::text as word from pg_catalog.pg_roles r where r.rolname = any (%1$L::name[])
                     union all
                    select r.rolname || ' in ' || h.rolname
                      from pg_catalog.pg_auth_members m
                      join pg_catalog.pg_roles r on r.oid = m.member
                      join pg_catalog.pg_roles h on h.oid = m.roleid
                     where r.rolname = any (%1$L::name[])) k$ask$, array(select r.name from role r)), true) w
 order by server
