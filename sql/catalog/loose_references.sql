-- Columns of some tables ($1) that are called as if they referred to rows of a table, and have no foreign key; beside each
-- what says which table it is, where that varies: a word, or a reference to a list of tables with its texts.
with recursive domains (type, base) as (
       select t.oid, t.typbasetype from pg_type t where t.typtype = 'd'
        union all
       select d.type, t.typbasetype from domains d join pg_type t on t.oid = d.base where t.typtype = 'd'
), types as materialized (
       -- Of a list what its elements are.
       select t.oid, t.typnotnull, b.typcategory = 'A' as is_list, e.typcategory = 'S' as textual,
              e.typcategory = 'E' as is_enum, format_type(e.oid, -1) as type
         from pg_type t
         left join domains d on d.type = t.oid
         join pg_type b on b.oid = coalesce(d.base, t.oid) and b.typtype <> 'd'
         left join domains f on f.type = b.typelem and b.typcategory = 'A'
         join pg_type e on e.oid = case b.typcategory when 'A' then coalesce(f.base, b.typelem) else b.oid end
                       and e.typtype <> 'd'
        where (e.typcategory in ('S', 'E') or e.oid in ('int2'::regtype, 'int4'::regtype, 'int8'::regtype,
                                                        'numeric'::regtype, 'uuid'::regtype))
          and t.oid in (select a.atttypid from pg_attribute a where a.attrelid = any ($1::oid[]) and a.attnum > 0)
), columns as materialized (
       select a.attrelid, a.attnum, a.attname, t.type, t.textual, t.is_list,
              (t.is_list or not a.attnotnull and not t.typnotnull) and a.attgenerated = '' as fillable,
              regexp_replace(a.attname, '_?(object_?)?(id|Id|ID|pk|uuid|key)$', '') as stem
         from pg_attribute a
         join types t on t.oid = a.atttypid and not t.is_enum
        where a.attrelid = any ($1::oid[]) and a.attnum > 0 and not a.attisdropped
          and a.attname ~ case when t.is_list then '(_(id|pk|uuid|key)s|[a-z0-9](Id|ID)s|^[a-z]{3,}ids)$'
                               else '(_(id|pk|uuid|key)|[a-z0-9](Id|ID)|^[a-z]{3,}id)$' end
          and not exists (select from pg_constraint k
                           where k.conrelid = a.attrelid and k.contype = 'f' and a.attnum = any (k.conkey))
          -- A key that the database makes up refers to nothing.
          and not ((a.atthasdef or a.attidentity <> '')
                   and exists (select from pg_constraint k
                                where k.conrelid = a.attrelid and k.contype = 'p' and k.conkey = array[a.attnum]))
)
select c.attrelid as "table",
       c.attname as "column",
       c.type,
       c.textual,
       c.is_list,
       c.fillable,
       has_column_privilege(c.attrelid, c.attnum, 'select')
           and (w.attnum is null or has_column_privilege(c.attrelid, w.attnum, 'select'))
           and (l.list is null or has_table_privilege(l.list, 'select')) as readable,
       w.attname as type_column,
       l.list as type_table,
       l.key as type_key,
       l.texts as type_texts
  from columns c
  left join lateral (select k.attname, k.attnum
                       from pg_attribute k
                       join types t on t.oid = k.atttypid and (t.textual or t.is_enum) and not t.is_list
                      where not c.is_list and k.attrelid = c.attrelid and k.attnum > 0 and not k.attisdropped
                        and k.attname in (c.stem || '_type', c.stem || 'Type', c.stem || '_kind', c.stem || 'Kind',
                                          c.stem || '_class', c.stem || '_table', c.stem || '_model',
                                          c.stem || '_object_type',
                                          case when c.stem in ('', 'object') then 'object_type' end)
                      limit 1) n on true
  left join lateral (select k.attname, k.attnum, f.list, e.attname as key,
                            array(select b.attname
                                    from pg_attribute b
                                    join pg_type t on t.oid = b.atttypid and t.typcategory = 'S'
                                   where b.attrelid = f.list and b.attnum > 0 and not b.attisdropped
                                   order by b.attnum) as texts
                       from pg_attribute k
                       join lateral (select f.confrelid as list, f.confkey[1] as key
                                       from pg_constraint f
                                      where f.conrelid = k.attrelid and f.contype = 'f' and f.conkey = array[k.attnum]
                                      union all
                                     -- Not every list of tables is referred to by a foreign key.
                                     select i.indrelid, i.indkey[0]
                                       from pg_class o
                                       join pg_class t on t.relnamespace = o.relnamespace and t.relkind = 'r'
                                       join pg_index i on i.indrelid = t.oid and i.indisprimary and i.indnkeyatts = 1
                                      where o.oid = k.attrelid
                                        and t.relname ~ ('(^|_)' || substring(k.attname, '(?:content|object)_type') || 's?$')
                                      limit 1) f on true
                       join pg_attribute e on e.attrelid = f.list and e.attnum = f.key
                      where not c.is_list and k.attrelid = c.attrelid
                        and k.attname in (ltrim(c.stem || '_content_type_id', '_'), ltrim(c.stem || '_type_id', '_'),
                                          ltrim(c.stem || '_object_type_id', '_'))
                      limit 1) l on true
 cross join lateral (select coalesce(l.attname, n.attname) as attname, coalesce(l.attnum, n.attnum) as attnum) w
 -- What belongs to an extension and nobody may read holds no rows of the app.
 where has_table_privilege(c.attrelid, 'select')
    or not exists (select from pg_depend d
                    where d.classid = 'pg_class'::regclass and d.objid = c.attrelid and d.deptype = 'e')
 order by 1, c.attnum
