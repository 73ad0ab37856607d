-- What the values of a column are that alone identifies a row, below all domains, and the operator that compares them; no
-- row for any other column, nor for values of which a part has a type of its own, whose checks reading one would run.
create or replace function usher.key_column(relation oid, name text) returns table (type text, equals text)
language sql stable set search_path = pg_catalog, pg_temp
as $$
    with recursive domains as (
           select a.atttypid as base, a.attnum
             from pg_attribute a
            where a.attrelid = $1 and a.attname = $2 and a.attnum > 0 and not a.attisdropped
            union all
           select t.typbasetype, d.attnum from domains d join pg_type t on t.oid = d.base where t.typtype = 'd'
    )
    select format_type(d.base, -1),
           coalesce((select format('operator(%I.%s)', n.nspname, o.oprname)
                       from pg_opclass c
                       join pg_am m on m.oid = c.opcmethod and m.amname = 'btree'
                       join pg_amop s on s.amopfamily = c.opcfamily and s.amoplefttype = c.opcintype
                                     and s.amoprighttype = c.opcintype and s.amopstrategy = 3
                       join pg_operator o on o.oid = s.amopopr
                       join pg_namespace n on n.oid = o.oprnamespace
                      where c.opcdefault and c.opcintype = d.base),
                    'operator(pg_catalog.=)')
      from domains d
      join pg_type t on t.oid = d.base and t.typtype in ('b', 'e') and t.typcategory <> 'A'
     where exists (select from pg_index i
                    where i.indrelid = $1 and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null
                      and i.indnkeyatts = 1 and i.indkey[0] = d.attnum)
$$;
