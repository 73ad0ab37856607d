-- Columns of some tables ($3) that may hold a user although nothing says so: the key's type ($1) or text, a telling name,
-- no foreign key. Texts and JSON count where a value of the key names one thing in the world ($2); row security may hide
-- rows of some ($4).
with types as materialized (
       select t.oid, b.type
         from pg_type t
        cross join lateral (select format_type(coalesce(nullif(t.typbasetype, 0), t.oid), null) as type) b
        where t.typtype in ('b', 'd', 'e')
          and b.type in ($1, 'text', 'character varying', 'character', 'citext', 'public.citext', 'extensions.citext',
                         'json', 'jsonb')
), tables as materialized (
       select c.oid,
              has_schema_privilege(s.oid, 'usage') and c.oid <> all ($4::oid[]) as readable,
              pg_relation_size(c.oid) as size
         from pg_class c
         join pg_namespace s on s.oid = c.relnamespace
        where c.oid = any ($3::oid[]) and not c.relispartition
), columns as materialized (
       select a.attrelid, a.attnum, a.attname, a.atthasdef, t.type, c.readable, c.size,
              a.attname ~* 'mail' as is_address,
              a.attname ~* '(user|owner|author|creat|member|sender|recipient|receiver|actor|assign|uid$|_by$|person|profile|customer)'
                     as is_telling
         from tables c
         join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
         join types t on t.oid = a.atttypid
)
select a.attrelid as "table",
       a.attname as "column",
       a.type,
       case when a.type = $1 then 'key'
            when a.type in ('json', 'jsonb') then 'json'
            when a.is_address then 'address'
            else 'text' end as kind,
       a.readable and has_column_privilege(a.attrelid, a.attnum, 'select') as readable
  from columns a
 where not exists (select from pg_constraint k
                    where k.conrelid = a.attrelid and k.contype = 'f' and a.attnum = any (k.conkey))
   -- A key that the database makes up itself is nobody's.
   and not (a.atthasdef and exists (select from pg_constraint k
                                     where k.conrelid = a.attrelid and k.contype = 'p' and k.conkey = array[a.attnum]))
   -- What belongs to an extension and nobody may read holds no rows of the app.
   and (has_column_privilege(a.attrelid, a.attnum, 'select')
        or not exists (select from pg_depend d
                        where d.classid = 'pg_class'::regclass and d.objid = a.attrelid and d.deptype = 'e'))
   and (a.type = $1 and a.is_telling
            and not exists (select from pg_constraint k
                             where k.conrelid = a.attrelid and k.contype = 'p' and k.conkey = array[a.attnum])
        -- A uuid names one thing in the world, whatever its column is called; looking for it must cost little.
        or a.type = $1 and $1 = 'uuid'
           and (a.size < 16 * 1024 * 1024
                or exists (select from pg_index i
                            where i.indrelid = a.attrelid and i.indisvalid and i.indkey[0] = a.attnum))
        or a.type in ('text', 'character varying', 'character', 'citext', 'public.citext', 'extensions.citext')
           and (a.is_address or a.type <> $1 and $2::boolean and a.is_telling)
        or a.type in ('json', 'jsonb') and $2::boolean and a.size < 8 * 1024 * 1024)
 order by 1, a.attnum
