-- Queries that find deleted users who exist again without a restore: one query for each table of users and each of its salts. Keys with
-- custom types are skipped, because comparing such keys may run code of the type's owner.
select distinct format(
$question$
select 'erasure' as problem, d.operation,
       format('%%s of the deleted users exist again, but no restore is recorded', count(*)) as detail
  from (select e.operation, unnest(e.deleted) as digest
          from usher.erasure e
         where e.gone and e.root = %1$L and e."column" = %2$L and e.salt = %3$L
           and not exists (select from usher.operation u
                            where u.undoes = e.operation and u.kind = 'restore' and u.outcome = 'committed')) d
  join (select sha256(%3$L::bytea || convert_to(t.%2$I::text, 'UTF8')) as digest from %4$s t) k using (digest)
 group by d.operation
$question$, e.root, e."column", e.salt, c.oid::regclass) as question
  from usher.erasure e
  join pg_class c on c.oid = to_regclass(e.root) and c.relkind in ('r', 'p') and has_schema_privilege(c.relnamespace, 'usage')
  join pg_attribute a on a.attrelid = c.oid and a.attname = e."column" and not a.attisdropped
                     and has_column_privilege(c.oid, a.attnum, 'select')
  join pg_type t on t.oid = a.atttypid and t.typnamespace = 'pg_catalog'::regnamespace
 where e.gone and e.deleted <> '{}'
