-- The privileges that some statements need. Each statement is in a temporary function, and each privilege has the number of the function.
-- For each table, these are the columns that a statement reads, inserts and updates, from the parse tree that Postgres stores. Up to
-- Postgres 15, the tree has these columns with each table; from Postgres 16 on, in a separate list. The result also has the functions and
-- schemas without rights of PUBLIC.
with probe as (
    select p.oid, substr(p.proname, 13)::integer as statement, p.prosqlbody::text as tree
      from pg_proc p
     where p.proname ~ '^usher_probe_' and p.pronamespace = pg_my_temp_schema()
),
-- The part of each parse tree from the oid of a relation to the end of its node.
node as (
    select probe.statement, split_part(piece, '}', 1) as text
      from probe
     cross join string_to_table(probe.tree, ':relid ') piece
),
-- The query uses string functions, because a regular expression takes three times as long.
used as (
    select statement, split_part(text, ' ', 1)::oid as relation,
           split_part(split_part(text, ' :requiredPerms ', 2), ' ', 1)::bigint as permissions,
           split_part(split_part(text, ' :selectedCols (b', 2), ')', 1) as selected,
           split_part(split_part(text, ' :insertedCols (b', 2), ')', 1) as inserted,
           split_part(split_part(text, ' :updatedCols (b', 2), ')', 1) as updated
      from node
     where left(text, 1) between '1' and '9' and strpos(text, ' :requiredPerms ') > 0
),
named as (
    select probe.statement, d.refclassid, d.refobjid
      from probe
      join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = probe.oid
     where d.refclassid in ('pg_proc'::regclass, 'pg_type'::regclass)
)
select distinct u.statement, w.privilege, n.nspname as schema, c.relname as name, a.attname as "column"
  from used u
  join pg_class c on c.oid = u.relation
  join pg_namespace n on n.oid = c.relnamespace and n.nspname <> 'pg_catalog'
 cross join lateral (
       values ('insert', 1, u.inserted), ('select', 2, u.selected), ('update', 4, u.updated), ('delete', 8, ''), ('truncate', 16, '')
       ) as w (privilege, bit, columns)
  left join lateral string_to_table(nullif(trim(w.columns), ''), ' ') as b (bit) on true
  -- The bit numbers begin with the system columns: bit 7 is the whole row, and bit 8 is the first column.
  left join lateral (
       select a.attname
         from generate_series(case b.bit when '7' then 1 else b.bit::integer - 7 end,
                              case b.bit when '7' then c.relnatts else b.bit::integer - 7 end) as r (number)
         join pg_attribute a on a.attrelid = c.oid and a.attnum = r.number and a.attnum > 0 and not a.attisdropped) a on true
 where u.permissions & w.bit <> 0
 union all
select distinct named.statement, 'execute', n.nspname, f.proname || '(' || pg_get_function_identity_arguments(f.oid) || ')', null
  from named
  join pg_proc f on named.refclassid = 'pg_proc'::regclass and f.oid = named.refobjid
  join pg_namespace n on n.oid = f.pronamespace
 where n.nspname not in ('pg_catalog', 'usher')
   and not exists (select from aclexplode(coalesce(f.proacl, acldefault('f', f.proowner))) x
                    where x.grantee = 0 and x.privilege_type = 'EXECUTE')
 union all
select distinct named.statement, 'usage', n.nspname, null, null
  from named
  left join pg_proc f on named.refclassid = 'pg_proc'::regclass and f.oid = named.refobjid
  left join pg_type t on named.refclassid = 'pg_type'::regclass and t.oid = named.refobjid
  join pg_namespace n on n.oid = coalesce(f.pronamespace, t.typnamespace)
 where n.nspname <> 'pg_catalog' and n.oid <> pg_my_temp_schema()
