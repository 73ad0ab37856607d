-- The columns of a table, and whether one alone identifies a row.
select a.attname as name,
       format_type(coalesce(nullif(t.typbasetype, 0), t.oid), null) as type,
       coalesce((select format('operator(%I.%s)', n.nspname, o.oprname)
          from pg_opclass c
          join pg_am m on m.oid = c.opcmethod and m.amname = 'btree'
          join pg_amop s on s.amopfamily = c.opcfamily and s.amoplefttype = c.opcintype and s.amoprighttype = c.opcintype
                        and s.amopstrategy = 3
          join pg_operator o on o.oid = s.amopopr
          join pg_namespace n on n.oid = o.oprnamespace
         where c.opcdefault and c.opcintype = coalesce(nullif(t.typbasetype, 0), t.oid)),
           'operator(pg_catalog.=)') as equals,
       exists (select from pg_index i
                where i.indrelid = a.attrelid and i.indisunique and i.indisvalid and i.indpred is null
                  and i.indexprs is null and i.indnkeyatts = 1 and i.indkey[0] = a.attnum) as "unique",
       exists (select from pg_index i
                where i.indrelid = a.attrelid and i.indisprimary
                  and i.indnkeyatts = 1 and i.indkey[0] = a.attnum) as "primary"
  from pg_attribute a
  join pg_type t on t.oid = a.atttypid
 where a.attrelid = $1::oid and a.attnum > 0 and not a.attisdropped
 order by a.attnum
