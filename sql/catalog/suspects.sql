-- Columns of some tables ($3) that may hold a user although nothing says so: the key's type ($1) or another that its values
-- are written in, no foreign key. Numbers mean a user where a name says so, the table's own ($5) included, or where they are
-- so long that they name one thing in the world ($2). Row security may hide rows of some ($4).
with numbers (type) as (
       values ('smallint'), ('integer'), ('bigint'), ('numeric')
), types as materialized (
       select t.oid, b.type, $1 in (select n.type from numbers n) as is_number,
              case when t.typcategory = 'S' or b.type = 'uuid' and $1 in ('text', 'character varying', 'bpchar') then 'text'
                   when b.type in ('json', 'jsonb') then 'json'
                   when b.type = $1 then 'key'
                   when $1 in (select n.type from numbers n) and b.type in (select n.type from numbers n) then 'key'
                   when e.type = $1 and e.category <> 'S' then 'list'
                   when $1 in (select n.type from numbers n) and e.type in (select n.type from numbers n) then 'list'
                   when t.typcategory = 'C' or b.type in ('xml', 'tsvector', 'jsonpath') or t.typname in ('hstore', 'ltree')
                        or e.category in ('S', 'C') or e.type in ('uuid', 'json', 'jsonb', 'xml') then 'text' end as kind
         from pg_type t
        cross join lateral (select format_type(coalesce(nullif(t.typbasetype, 0), t.oid), -1) as type) b
         left join lateral (select format_type(i.oid, -1) as type, i.typcategory as category
                              from pg_type a
                              join pg_type i on i.oid = a.typelem
                             where a.oid = coalesce(nullif(t.typbasetype, 0), t.oid) and a.typcategory = 'A') e on true
        where t.typtype in ('b', 'c', 'd')
), tables as materialized (
       select c.oid,
              has_schema_privilege(s.oid, 'usage') and c.oid <> all ($4::oid[]) as readable,
              pg_relation_size(c.oid) as size
         from pg_class c
         join pg_namespace s on s.oid = c.relnamespace
        where c.oid = any ($3::oid[]) and not c.relispartition
), columns as materialized (
       select a.attrelid, a.attnum, a.attname, t.type, t.kind, t.is_number, c.readable, c.size,
              not a.attnotnull and d.typnotnull is not true and a.attgenerated = '' as fillable,
              a.atthasdef or a.attidentity <> '' as is_made_up,
              exists (select from pg_constraint k
                       where k.conrelid = a.attrelid and k.contype = 'p' and k.conkey = array[a.attnum]) as is_key,
              a.attname ~* 'mail' as is_address,
              a.attname ~* ('(user|owner|author|creator|created?_?by|member|sender|recipient|receiver|(^|_)actor|assign|uid$|_by$|person|profile|customer|account'
                            || $5 || ')')
                     and a.attname !~* '(count|total|number|amount|limit|quota|size|(^|_)(age|num|max|min))($|_)' as is_telling
         from tables c
         join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
         join types t on t.oid = a.atttypid and t.kind is not null
         join pg_type d on d.oid = a.atttypid
)
select a.attrelid as "table",
       a.attname as "column",
       a.type,
       a.kind,
       a.is_address,
       a.is_telling,
       a.fillable,
       -- What takes long to search and promises little is searched once, after the deletion.
       a.size > 64 * 1024 * 1024 and not a.is_telling
           and not (a.kind = 'key' and exists (select from pg_index i
                                                where i.indrelid = a.attrelid and i.indisvalid and i.indkey[0] = a.attnum))
           as costly,
       a.readable and has_column_privilege(a.attrelid, a.attnum, 'select') as readable
  from columns a
 where not exists (select from pg_constraint k
                    where k.conrelid = a.attrelid and k.contype = 'f' and a.attnum = any (k.conkey))
   -- What belongs to an extension and nobody may read holds no rows of the app.
   and (has_column_privilege(a.attrelid, a.attnum, 'select')
        or not exists (select from pg_depend d
                        where d.classid = 'pg_class'::regclass and d.objid = a.attrelid and d.deptype = 'e'))
   and case when a.kind in ('key', 'list') and a.is_number
            -- A key that the database makes up itself is nobody's.
            then not (a.is_key and (a.is_made_up or not a.is_telling)) and (a.is_telling or $2::boolean)
            else true end
 order by 1, a.attnum
