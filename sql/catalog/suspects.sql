-- Columns of some tables ($3) that may hold a user although nothing says so: the key's type ($1) or another that its values
-- are written in, no foreign key. Numbers mean a user where a name says so ($5, but not $6; $7 names others for short), or
-- where they are so long that they name one thing in the world ($2). Row security may hide rows of some ($4). What a foreign
-- key leaves as it is when it sets others of its columns holds what it did (is_left).
with recursive domains (type, base) as (
       select t.oid, t.typbasetype from pg_type t where t.typtype = 'd'
        union all
       select d.type, t.typbasetype from domains d join pg_type t on t.oid = d.base where t.typtype = 'd'
), bases as materialized (
       -- What a domain stands for, however many others lie between.
       select d.type, d.base from domains d join pg_type t on t.oid = d.base where t.typtype <> 'd'
), numbers (type) as (
       values ('smallint'), ('integer'), ('bigint'), ('numeric'), ('real'), ('double precision'), ('oid')
), types as materialized (
       select t.oid, b.type, $1 in (select n.type from numbers n) as is_number, e.category = 'S' as is_of_texts,
              case when t.typcategory = 'S' then 'text'
                   when b.type in ('json', 'jsonb') then 'json'
                   when b.type = $1 then 'key'
                   when $1 in (select n.type from numbers n) and b.type in (select n.type from numbers n) then 'key'
                   when e.type = $1 and e.category <> 'S' then 'list'
                   when $1 in (select n.type from numbers n) and e.type in (select n.type from numbers n) then 'list'
                   when t.typcategory = 'C' or b.type in ('uuid', 'bytea', 'xml', 'tsvector', 'jsonpath')
                        or b.name in ('hstore', 'ltree') or e.category in ('S', 'C')
                        or e.type in ('uuid', 'json', 'jsonb', 'xml') or e.name in ('hstore', 'ltree') then 'text' end as kind
         from pg_type t
         left join bases d on d.type = t.oid
        cross join lateral (select format_type(i.oid, -1) as type, i.typname as name, i.typelem, i.typcategory
                              from pg_type i where i.oid = coalesce(d.base, t.oid)) b
         left join lateral (select format_type(i.oid, -1) as type, i.typname as name, i.typcategory as category
                              from pg_type a
                              left join bases f on f.type = a.oid
                              join pg_type i on i.oid = coalesce(f.base, a.oid)
                             where a.oid = b.typelem and b.typcategory = 'A') e on true
        where t.typtype in ('b', 'c', 'd')
          and t.oid in (select a.atttypid from pg_attribute a where a.attrelid = any ($3::oid[]) and a.attnum > 0)
), tables as materialized (
       select c.oid, c.relkind = 'f' as is_foreign,
              has_schema_privilege(s.oid, 'usage') and c.oid <> all ($4::oid[]) as readable,
              has_column_privilege(c.oid, 'xmin', 'select') as dated,
              case when c.relkind <> 'f' then pg_relation_size(c.oid) else 0 end as size
         from pg_class c
         join pg_namespace s on s.oid = c.relnamespace
        where c.oid = any ($3::oid[]) and not c.relispartition
), columns as materialized (
       select a.attrelid, a.attnum, a.attname, t.type,
              -- Numbers may be written out in a list.
              case when t.is_number and t.is_of_texts and n.name ~* $5 and n.name !~* $6 then 'list'
                   else t.kind end as kind,
              t.is_number, c.readable, c.dated,
              case when t.type = 'bytea' and not c.is_foreign then pg_table_size(c.oid) else c.size end as size,
              not a.attnotnull and d.typnotnull is not true and a.attgenerated = '' as fillable,
              a.atthasdef or a.attidentity <> '' as is_made_up,
              exists (select from pg_constraint k
                       where k.conrelid = a.attrelid and k.contype = 'p' and k.conkey = array[a.attnum]) as is_key,
              a.attname ~* 'mail' as is_address,
              n.name ~* $5 and n.name !~* $6
                  -- So many of them are a count, not one of them.
                  and not (t.kind = 'key' and t.is_number and n.name ~* '[^u]s$' and n.name !~* 'ids$') as is_telling,
              t.is_number and t.kind in ('key', 'list') and a.attname ~ $7 and n.name !~* $6 as is_reference,
              exists (select from pg_constraint k
                       where k.conrelid = a.attrelid and k.contype = 'f' and a.attnum = any (k.conkey)) as is_left
         from tables c
         join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
         join types t on t.oid = a.atttypid and t.kind is not null
         join pg_type d on d.oid = a.atttypid
        -- `invitedBy` says what `invited_by` does.
        cross join lateral (select regexp_replace(a.attname, '([a-z0-9])([A-Z])', '\1_\2', 'g') as name) n
        where not exists (select from pg_constraint k
                           where k.conrelid = a.attrelid and k.contype = 'f' and a.attnum = any (k.conkey)
                             and (k.confdeltype not in ('n', 'd') or coalesce(cardinality(k.confdelsetcols), 0) = 0
                                  or a.attnum = any (k.confdelsetcols)))
)
select a.attrelid as "table",
       a.attname as "column",
       a.type,
       a.kind,
       a.is_address,
       a.is_telling,
       a.is_reference,
       a.is_left,
       a.is_key,
       a.is_key and a.is_made_up as is_own_key,
       -- What says which table the number is of, where a row may refer to several.
       case when a.is_number and (a.kind = 'key' or a.type in ('text', 'character varying', 'bpchar', 'citext'))
            then (select k.attname from pg_attribute k join pg_type t on t.oid = k.atttypid
                   where k.attrelid = a.attrelid and k.attnum > 0 and not k.attisdropped and t.typcategory in ('S', 'E')
                     and a.attname ~ '(_id|[a-z0-9]Id)$'
                     and k.attname in (select regexp_replace(a.attname, '(_id|Id)$', e.ending)
                                         from unnest(array['_type', 'Type', '_kind', 'Kind', '_class', '_table', '_model'])
                                           as e (ending))
                   limit 1) end as type_column,
       a.fillable,
       -- What takes long to search and promises little is searched once, after the deletion.
       a.size > 64 * 1024 * 1024 and not a.is_telling
           and not (a.kind = 'key' and exists (select from pg_index i
                                                where i.indrelid = a.attrelid and i.indisvalid and i.indkey[0] = a.attnum))
           as costly,
       a.readable and has_column_privilege(a.attrelid, a.attnum, 'select') as readable,
       -- Whether the role may ask when a row was written.
       a.dated
  from columns a
 -- What belongs to an extension and nobody may read holds no rows of the app.
 where (has_column_privilege(a.attrelid, a.attnum, 'select')
        or not exists (select from pg_depend d
                        where d.classid = 'pg_class'::regclass and d.objid = a.attrelid and d.deptype = 'e'))
   and case when a.kind in ('key', 'list') and a.is_number
            -- A key that the database makes up itself is nobody's; any other may be shared with a user.
            then not (a.is_key and a.is_made_up) and (a.is_key or a.is_telling or a.is_reference or a.is_left or $2::boolean)
            else true end
 order by 1, a.attnum
