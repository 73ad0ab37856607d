-- Columns that may hold a user although nothing says so: the key's type or text, a telling name, no foreign key.
select c.oid as "table",
       a.attname as "column",
       b.type,
       case when b.type = $1 then 'key'
            when b.type in ('json', 'jsonb') then 'json'
            when a.attname ~* 'e?_?mail' then 'address'
            else 'text' end as kind
  from pg_class c
  join pg_namespace s on s.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_type t on t.oid = a.atttypid
 cross join lateral (select format_type(coalesce(nullif(t.typbasetype, 0), t.oid), null) as type) b
 cross join lateral (
       select a.attname ~* '(user|owner|author|creat|member|sender|recipient|receiver|actor|assign|uid$|_by$|person|profile|customer)'
              as is_telling) n
 where c.relkind in ('r', 'p')
   and not c.relispartition
   and s.nspname not in ('information_schema', 'usher')
   and s.nspname !~ '^pg_'
   and has_table_privilege(c.oid, 'select')
   and not exists (select from pg_constraint k where k.conrelid = c.oid and k.contype = 'f' and a.attnum = any (k.conkey))
   -- A key that the database makes up itself is nobody's.
   and not (a.atthasdef and exists (select from pg_constraint k
                                     where k.conrelid = c.oid and k.contype = 'p' and k.conkey = array[a.attnum]))
   and (b.type = $1 and n.is_telling
            and not exists (select from pg_constraint k
                             where k.conrelid = c.oid and k.contype = 'p' and k.conkey = array[a.attnum])
        -- A uuid names one thing in the world, whatever its column is called; looking for it must cost little.
        or b.type = $1 and $1 = 'uuid'
           and (pg_relation_size(c.oid) < 16 * 1024 * 1024
                or exists (select from pg_index i where i.indrelid = c.oid and i.indisvalid and i.indkey[0] = a.attnum))
        or b.type in ('text', 'character varying', 'character', 'citext', 'public.citext', 'extensions.citext')
           and (a.attname ~* 'e?_?mail' or b.type <> $1 and $2::boolean and n.is_telling)
        or b.type in ('json', 'jsonb') and $2::boolean and pg_relation_size(c.oid) < 8 * 1024 * 1024)
 order by c.oid, a.attnum
