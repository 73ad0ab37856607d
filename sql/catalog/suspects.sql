-- Columns that may hold a user although nothing says so: the key's type or text, a telling name, no foreign key.
select c.oid as "table",
       a.attname as "column",
       b.type,
       case when b.type = $1 then 'key'
            when b.type in ('json', 'jsonb') then 'json'
            when a.attname ~* 'e?_?mail' then 'address'
            else 'text' end as kind
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_type t on t.oid = a.atttypid
 cross join lateral (select format_type(coalesce(nullif(t.typbasetype, 0), t.oid), null) as type) b
 where c.relkind in ('r', 'p')
   and not c.relispartition
   and n.nspname not in ('information_schema', 'usher')
   and n.nspname !~ '^pg_'
   and has_table_privilege(c.oid, 'select')
   and not exists (select from pg_constraint k where k.conrelid = c.oid and k.contype = 'f' and a.attnum = any (k.conkey))
   -- A key that the database makes up itself is nobody's.
   and not (a.atthasdef and exists (select from pg_constraint k
                                     where k.conrelid = c.oid and k.contype = 'p' and k.conkey = array[a.attnum]))
   and (b.type = $1
            and ($1 = 'uuid' or a.attname ~* '(user|owner|author|creat|member|sender|recipient|receiver|actor|assign|uid$|_by$|person|profile|customer)'
                                and not exists (select from pg_constraint k
                                                 where k.conrelid = c.oid and k.contype = 'p' and k.conkey = array[a.attnum]))
        or b.type in ('text', 'character varying', 'character', 'citext', 'public.citext', 'extensions.citext')
            and (a.attname ~* 'e?_?mail'
                 or $1 <> b.type and $2::boolean
                    and a.attname ~* '(user|owner|author|creat|member|sender|recipient|receiver|actor|assign|uid$|_by$|person|profile|customer)')
        or b.type in ('json', 'jsonb') and $2::boolean and c.relpages < 4096)
 order by c.oid, a.attnum
