-- Columns of some tables ($3) that may hold a user although nothing says so, and how: no foreign key, and the key's type
-- ($1) with a telling name, or text, JSON and lists that are not too long to look through. A key that names one thing in
-- the world ($2) is looked for as text too; row security may hide rows of some tables ($4).
with types as materialized (
       select t.oid, b.type, x.is_text, b.type like '%[]' as is_list,
              b.type in ('json', 'jsonb') as is_json
         from pg_type t
        cross join lateral (select format_type(coalesce(nullif(t.typbasetype, 0), t.oid), null) as type) b
        cross join lateral (
              select b.type in ('text', 'character varying', 'character', 'citext', 'public.citext', 'extensions.citext')
                     as is_text) x
        where t.typtype in ('b', 'd', 'e')
          and (b.type = $1 or x.is_text
               or b.type in ('json', 'jsonb', 'uuid[]', 'text[]', 'character varying[]'))
), tables as materialized (
       select c.oid,
              has_schema_privilege(s.oid, 'usage') and c.oid <> all ($4::oid[]) as readable,
              pg_relation_size(c.oid) / 1024 / 1024 as megabytes
         from pg_class c
         join pg_namespace s on s.oid = c.relnamespace
        where c.oid = any ($3::oid[]) and not c.relispartition
), columns as materialized (
       select a.attrelid, a.attnum, a.attname, a.atthasdef, t.*, c.readable, c.megabytes,
              a.attname ~* 'mail' as is_address,
              a.attname ~* '(user|owner|author|creat|member|sender|recipient|receiver|actor|assign|uid$|_by$|person|profile|customer)'
                     as is_telling,
              exists (select from pg_constraint k
                       where k.conrelid = a.attrelid and k.contype = 'p' and k.conkey = array[a.attnum]) as is_key
         from tables c
         join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
         join types t on t.oid = a.atttypid
), judged as (
       select a.*,
              case when is_list then case when megabytes < 16 then 'list' end
                   when is_json then case when megabytes < 8 then 'json' end
                   when is_text and is_address then 'address'
                   when type = $1 and is_telling and not is_key then 'key'
                   -- A uuid names one thing in the world, whatever its column is called; looking for it must cost little.
                   when type = $1 and $1 = 'uuid'
                        and (megabytes < 16 or exists (select from pg_index i
                                                        where i.indrelid = a.attrelid and i.indisvalid
                                                          and i.indkey[0] = a.attnum)) then 'key'
                   when is_text and type <> $1 and $2::boolean and is_telling then 'text'
                   when is_text and megabytes < 2 then 'word' end as kind
         from columns a
)
select a.attrelid as "table",
       a.attname as "column",
       a.type,
       a.kind,
       a.readable and has_column_privilege(a.attrelid, a.attnum, 'select') as readable
  from judged a
 where a.kind is not null
   and not exists (select from pg_constraint k
                    where k.conrelid = a.attrelid and k.contype = 'f' and a.attnum = any (k.conkey))
   -- A key that the database makes up itself is nobody's.
   and not (a.atthasdef and a.is_key)
   -- What belongs to an extension and nobody may read holds no rows of the app.
   and (has_column_privilege(a.attrelid, a.attnum, 'select')
        or not exists (select from pg_depend d
                        where d.classid = 'pg_class'::regclass and d.objid = a.attrelid and d.deptype = 'e'))
 order by 1, a.attnum
