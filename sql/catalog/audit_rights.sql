-- Roles with a right that they should not have: to execute functions that change data, or to read the salts. The query skips functions that
-- only report data, seal operations, record attempts or date snapshots. The owner of the schema may grant those functions.
with
meant (name, role) as (
    select f.name, r.name
      from unnest('{run, undo, begin, batch, ask, answer, note, call}'::text[]) as f (name),
           unnest('{usher_support, usher_admin, usher_engineer}'::text[]) as r (name)
     union all
    select f.name, 'usher_eraser'
      from unnest('{erase, record_deletion_step, restore, refuse_root, answer, call, counted_as, counted_by_all, key_numbers, server_clauses}'::text[]) as f (name)
)
select 'privilege' as problem, null::uuid as operation,
       format('%s can execute %s', case a.grantee when 0 then 'everybody' else pg_get_userbyid(a.grantee) end,
              string_agg(distinct 'usher.' || p.proname, ', ')) as detail
  from pg_proc p
  join pg_namespace n on n.oid = p.pronamespace and n.nspname = 'usher'
 cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
 where a.grantee <> p.proowner and p.proname not in ('version', 'outcome', 'open_path', 'seal', 'attempt', 'advance_clock')
   and not exists (select from meant m where m.name = p.proname and m.role = pg_get_userbyid(a.grantee))
 group by a.grantee
 union all
select 'privilege', null,
       format('%s can read the salts of %s', case a.grantee when 0 then 'everybody' else pg_get_userbyid(a.grantee) end,
              string_agg(distinct 'usher.' || c.relname, ', '))
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'usher'
  join pg_attribute t on t.attrelid = c.oid and t.attname = 'salt'
 cross join lateral (select * from aclexplode(c.relacl) union all select * from aclexplode(t.attacl)) a
 where a.grantee <> c.relowner and a.privilege_type = 'SELECT' and pg_get_userbyid(a.grantee) <> 'usher_auditor'
 group by a.grantee
