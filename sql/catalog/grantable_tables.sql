-- The tables of a change, and every table in which a deletion from some tables ($3) deletes or changes rows by cascade. Each table has the
-- data for its grants: where the cascade begins, the owner, the columns, the sequences of defaults, and row security.
with recursive
wanted as (
    select c.oid, t.deleted
      from unnest($1::text[], $2::text[], $3::boolean[]) as t (schema, name, deleted)
      join pg_namespace n on n.nspname = t.schema
      join pg_class c on c.relnamespace = n.oid and c.relname = t.name
),
reached (start, oid) as (
    select w.oid, w.oid from wanted w where w.deleted
     union
    select r.start, k.conrelid
      from reached r
      join pg_constraint k on k.confrelid = r.oid and k.contype = 'f' and k.confdeltype in ('c', 'n', 'd')
)
select n.nspname as schema, c.relname as name, quote_ident(n.nspname) || '.' || quote_ident(c.relname) as sql,
       pg_get_userbyid(c.relowner) as owner, c.relrowsecurity as secured,
       (select array_agg(sn.nspname || '.' || sc.relname)
          from reached r
          join pg_class sc on sc.oid = r.start
          join pg_namespace sn on sn.oid = sc.relnamespace
         where r.oid = c.oid and r.start <> c.oid) as cascaded_from,
       a.attname as "column", quote_ident(a.attname) as column_sql, quote_ident(s.schema) || '.' || quote_ident(s.name) as sequence
  from (select w.oid from wanted w union select r.oid from reached r) t
  join pg_class c on c.oid = t.oid
  join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef f on f.adrelid = c.oid and f.adnum = a.attnum
  left join lateral (
      select sn.nspname as schema, sc.relname as name
        from pg_depend d
        join pg_class sc on sc.oid = d.refobjid and sc.relkind = 'S'
        join pg_namespace sn on sn.oid = sc.relnamespace
       where d.classid = 'pg_attrdef'::regclass and d.objid = f.oid and d.refclassid = 'pg_class'::regclass
       limit 1) s on true
 order by n.nspname, c.relname, a.attnum
