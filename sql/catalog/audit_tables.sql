-- The problems of the tables in the schema usher, and the roles that can write the tables although they are not the owner.
with
relation as (
    select c.oid, c.relname as name, c.relkind as kind, c.relrowsecurity as hides, c.relacl as acl, c.relowner, n.nspowner
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'usher' and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
),
granted as (
    select r.name, a.grantee, a.privilege_type as privilege
      from relation r
     cross join lateral aclexplode(r.acl) a
     where a.grantee <> r.relowner
     union
    select r.name, a.grantee, a.privilege_type
      from relation r
      join pg_attribute c on c.attrelid = r.oid
     cross join lateral aclexplode(c.attacl) a
     where a.grantee <> r.relowner
     union
    select null, a.grantee, a.privilege_type
      from pg_namespace n
     cross join lateral aclexplode(n.nspacl) a
     where n.nspname = 'usher' and a.grantee <> n.nspowner
)
select 'table' as problem, null::uuid as operation, format('row security may hide rows of usher.%s', r.name) as detail
  from relation r
 where r.hides
 union all
select 'owner', null,
       format('usher.%s belongs to %s, who is not the owner of the schema', r.name, pg_get_userbyid(r.relowner))
  from relation r
 where r.relowner <> r.nspowner
 union all
select 'owner', null,
       format('usher.%s(%s) belongs to %s, who is not the owner of the schema', p.proname, oidvectortypes(p.proargtypes),
              pg_get_userbyid(p.proowner))
  from pg_proc p
  join pg_namespace n on n.oid = p.pronamespace
 where n.nspname = 'usher' and p.proowner <> n.nspowner
 union all
select 'rule', null, format('the rule %s on usher.%s is not part of usher', w.rulename, r.name)
  from relation r
  join pg_rewrite w on w.ev_class = r.oid and w.rulename <> '_RETURN'
 union all
select 'privilege', null,
       format('%1$s has privileges on %3$s: %2$s', case g.grantee when 0 then 'everybody' else pg_get_userbyid(g.grantee) end,
              string_agg(lower(g.privilege), ', ' order by g.privilege), coalesce('usher.' || g.name, 'the schema usher'))
  from granted g
 where g.privilege not in ('SELECT', 'USAGE')
 group by g.grantee, g.name
