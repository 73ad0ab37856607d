-- What stands, as far as the catalog knows, against a mark ($2) in the place of what some columns ($1) say: unique indexes, by a
-- column, by an expression over it, or together with others; a length that is too short; and, to be tried with the mark, checks of
-- the column alone or of its domain, whose functions are all the server's own
-- or of an extension.
with recursive marked as (
    select l.place, a.attrelid, a.attnum, a.attname, a.atttypid, a.atttypmod
      from unnest($1::text[]) with ordinality as l (name, place)
      join lateral parse_ident(l.name) as p (parts) on cardinality(p.parts) = 3
      join pg_namespace n on n.nspname = p.parts[1]
      join pg_class r on r.relnamespace = n.oid and r.relname = p.parts[2]
      join pg_attribute a on a.attrelid = r.oid and a.attname = p.parts[3]
),
typed as (
    select m.place, t.oid, t.typtype, t.typbasetype, t.typtypmod, t.typcategory, m.atttypmod as modifier
      from marked m join pg_type t on t.oid = m.atttypid
     union all
    select d.place, t.oid, t.typtype, t.typbasetype, t.typtypmod, t.typcategory, d.typtypmod
      from typed d join pg_type t on t.oid = d.typbasetype
     where d.typtype = 'd'
),
based as (
    select t.place, t.typcategory, t.modifier, format_type(t.oid, -1) as type, format_type(t.oid, t.modifier) as whole,
           t.oid = any ('{varchar,bpchar}'::regtype[]) as is_bounded
      from typed t
     where t.typtype <> 'd'
),
told as (
    select m.place, i.what, i.name, null as expression, null as type, null as argument
      from marked m
     cross join lateral (
           select case when x.indpred is null and k.columns = array[m.attnum] then 'once' else 'together' end as what,
                  x.indexrelid::regclass::text as name
             from pg_index x
            cross join lateral (
                  select (x.indkey::int2[])[0:x.indnkeyatts - 1] as own) o
            cross join lateral (
                  select array(select distinct c.number
                                 from (select unnest(o.own)
                                        union all
                                       -- Of expressions the server knows which columns they take.
                                       select d.refobjsubid::int2
                                         from pg_depend d
                                        where 0 = any (o.own) and d.classid = 'pg_class'::regclass and d.objid = x.indexrelid
                                          and d.refclassid = 'pg_class'::regclass and d.refobjid = x.indrelid) c (number)
                                where c.number <> 0) as columns) k
            where x.indrelid = m.attrelid and x.indisunique and x.indisvalid and m.attnum = any (k.columns)
            order by 1
            limit 1) i
     union all
    select b.place, 'check', b.whole, null, null, null
      from based b
     where b.is_bounded and b.modifier >= 4 and b.modifier - 4 < length($2)
     union all
    select b.place, 'tried', pg_get_constraintdef(c.oid), pg_get_expr(c.conbin, c.conrelid), b.type, c.argument
      from based b
      join lateral (select k.oid, k.conbin, k.conrelid, m.attname as argument, to_jsonb(k) as facts
                      from marked m join pg_constraint k on k.conrelid = m.attrelid and k.contype = 'c' and k.conkey = array[m.attnum]
                     where m.place = b.place
                     union all
                    select k.oid, k.conbin, 0, 'value', to_jsonb(k)
                      from typed t join pg_constraint k on k.contypid = t.oid and k.contype = 'c'
                     where t.place = b.place) c on true
     where b.typcategory = 'S'
       -- Older servers enforce each.
       and coalesce((c.facts ->> 'conenforced')::boolean, true)
       and not exists (select from pg_depend d
                        where d.classid = 'pg_constraint'::regclass and d.objid = c.oid
                          and d.refclassid = any ('{pg_proc,pg_operator,pg_type}'::regclass[])
                          and d.refobjid not in (select t.oid from typed t where t.place = b.place)
                          and not exists (select from pg_depend e
                                           where e.classid = d.refclassid and e.objid = d.refobjid and e.deptype = 'e'))
)
select t.place, t.what, t.name, t.expression, t.type, t.argument,
       coalesce((select has_language_privilege(l.oid, 'usage') from pg_language l where l.lanname = 'plpgsql'), false) as may_try
  from told t
 order by t.place, t.what, t.name
