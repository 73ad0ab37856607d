-- Columns of some tables ($1) that are called as if they referred to rows of a table, and have no foreign key; beside each
-- what says which table it is, where that varies: a word, or a reference to a list of tables with its texts.
with recursive domains (type, base) as (
       select t.oid, t.typbasetype from pg_type t where t.typtype = 'd'
        union all
       select d.type, t.typbasetype from domains d join pg_type t on t.oid = d.base where t.typtype = 'd'
), types as materialized (
       select t.oid, t.typnotnull, b.typcategory = 'S' as textual, b.typcategory = 'E' as listed, format_type(b.oid, -1) as type
         from pg_type t
         left join domains d on d.type = t.oid
         join pg_type b on b.oid = coalesce(d.base, t.oid) and b.typtype <> 'd'
        where (b.typcategory in ('S', 'E') or b.oid in ('int2'::regtype, 'int4'::regtype, 'int8'::regtype,
                                                        'numeric'::regtype, 'uuid'::regtype))
          and t.oid in (select a.atttypid from pg_attribute a where a.attrelid = any ($1::oid[]) and a.attnum > 0)
), columns as materialized (
       select a.attrelid, a.attnum, a.attname, t.type, t.textual,
              not a.attnotnull and not t.typnotnull and a.attgenerated = '' as fillable,
              regexp_replace(a.attname, '_?(object_?)?(id|Id|ID|pk|uuid|key)$', '') as stem
         from pg_attribute a
         join types t on t.oid = a.atttypid and not t.listed
        where a.attrelid = any ($1::oid[]) and a.attnum > 0 and not a.attisdropped
          and a.attname ~ '(_(id|pk|uuid|key)|[a-z0-9](Id|ID))$'
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
                       join types t on t.oid = k.atttypid and (t.textual or t.listed)
                      where k.attrelid = c.attrelid and k.attnum > 0 and not k.attisdropped
                        and k.attname in (c.stem || '_type', c.stem || 'Type', c.stem || '_object_type',
                                          case when c.stem in ('', 'object') then 'object_type' end)
                      limit 1) n on true
  left join lateral (select k.attname, k.attnum, f.confrelid as list,
                            (select b.attname from pg_attribute b
                              where b.attrelid = f.confrelid and b.attnum = f.confkey[1]) as key,
                            array(select b.attname
                                    from pg_attribute b
                                    join pg_type t on t.oid = b.atttypid and t.typcategory = 'S'
                                   where b.attrelid = f.confrelid and b.attnum > 0 and not b.attisdropped
                                   order by b.attnum) as texts
                       from pg_attribute k
                       join pg_constraint f on f.conrelid = k.attrelid and f.contype = 'f' and f.conkey = array[k.attnum]
                      where k.attrelid = c.attrelid
                        and k.attname in (ltrim(c.stem || '_content_type_id', '_'), ltrim(c.stem || '_type_id', '_'),
                                          ltrim(c.stem || '_object_type_id', '_'))
                      limit 1) l on true
 cross join lateral (select coalesce(l.attname, n.attname) as attname, coalesce(l.attnum, n.attnum) as attnum) w
 order by 1, c.attnum
