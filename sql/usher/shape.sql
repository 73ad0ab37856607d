-- How the rows of a table are told apart, read and written back: the key (the primary one, else a unique one that is never
-- NULL), and every column in order, with how far JSON holds its values exactly. NULL for what is no table.
create or replace function usher.shape(relation oid, secrets text[]) returns jsonb
language plpgsql stable
as $$
begin
    return (
    with recursive
    ancestry (ancestor) as (
        select shape.relation
         union
        select i.inhparent from ancestry a join pg_inherits i on i.inhrelid = a.ancestor
    ),
    base (type, base) as (
        select distinct a.atttypid, a.atttypid
          from pg_attribute a
         where a.attrelid = shape.relation and a.attnum > 0 and not a.attisdropped
         union
        select b.type, coalesce(nullif(d.typbasetype, 0), nullif(d.typelem, 0))
          from base b join pg_type d on d.oid = b.base
         where d.typbasetype <> 0 or d.typcategory = 'A'
    ),
    -- The types that a column is made of: itself, what its domains stand for, what its arrays hold. What the name of an object
    -- looks like depends on the search path.
    made (type, form) as (
        select b.type,
               case when bool_or(t.typnamespace = 'pg_catalog'::regnamespace and t.typname ~ '^reg') then 'name'
                    when bool_or(t.oid = 'json'::regtype) and not bool_or(t.typcategory = 'A') then 'json'
                    when bool_or(t.oid = 'jsonb'::regtype) and not bool_or(t.typcategory = 'A') then 'jsonb'
                    when bool_or(t.typtype = 'c' or t.oid in ('json'::regtype, 'jsonb'::regtype)
                                 or exists (select from pg_cast k
                                             where k.castsource = t.oid and k.casttarget = 'json'::regtype
                                               and t.oid >= 16384)) then 'text'
                    when bool_or(t.typcategory = 'A') then 'array'
                    when bool_or(t.oid in ('float4'::regtype, 'float8'::regtype)) then 'float'
                    else 'plain' end
          from base b join pg_type t on t.oid = b.base
         group by 1
    )
    select jsonb_build_object(
               'oid', c.oid::text,
               'schema', n.nspname, 'relation', c.relname, 'name', n.nspname || '.' || c.relname,
               'sql', quote_ident(n.nspname) || '.' || quote_ident(c.relname),
               'temporary', c.relpersistence = 't', 'partitioned', c.relkind = 'p', 'distributed', usher.is_distributed(c.oid),
               'ancestors', (select jsonb_agg(m.nspname || '.' || p.relname)
                               from ancestry y
                               join pg_class p on p.oid = y.ancestor
                               join pg_namespace m on m.oid = p.relnamespace),
               'columns', jsonb_agg(
                   jsonb_build_object(
                       'name', a.attname, 'sql', quote_ident(a.attname), 'type', format_type(a.atttypid, a.atttypmod),
                       'bare_type', format_type(a.atttypid, -1), 'type_oid', a.atttypid::bigint, 'form', f.form, 'generated', a.attgenerated <> '',
                       'settable', a.attgenerated = '' and a.attidentity <> 'a',
                       'in_key', coalesce(a.attnum = any (k.columns), false),
                       'secret', exists (select from unnest(shape.secrets) s (path)
                                           where parse_ident(s.path) = array[n.nspname, c.relname, a.attname]::text[]))
                   order by a.attnum))
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      join made f on f.type = a.atttypid
      left join lateral (
           select (i.indkey::int2[])[0:i.indnkeyatts - 1] as columns
             from pg_index i
            where i.indrelid = c.oid and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null
              and not exists (select from pg_attribute b
                               where b.attrelid = c.oid and b.attnum = any ((i.indkey::int2[])[0:i.indnkeyatts - 1])
                                 and not b.attnotnull)
            order by i.indisprimary desc, i.indnkeyatts, i.indexrelid
            limit 1) k on true
     where c.oid = shape.relation
     group by c.oid, n.oid, n.nspname, c.relname);
end
$$;
