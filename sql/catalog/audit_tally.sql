-- The size of the audit log, the number of unsealed operations, the head of the chain, and a flag if this role can read salts. A role needs
-- the salts to compare payloads, and keys of deleted users, with their digests.
select (select count(*) from usher.operation) as operations,
       (select count(*) from usher.change) as changes,
       (select count(*) from usher.operation o
         where not exists (select from usher.sealed s where s.operation = o.id)) as unsealed,
       (select count(*) from usher.seal) as seals,
       (select encode(s.head, 'hex') from usher.seal s order by s.number desc limit 1) as head,
       has_column_privilege('usher.operation', 'salt', 'select')
           and has_column_privilege('usher.change', 'salt', 'select')
           -- If the column is missing, another query reports the problem.
           and coalesce((select has_column_privilege(a.attrelid, a.attnum, 'select')
                           from pg_attribute a
                          where a.attrelid = to_regclass('usher.subject') and a.attname = 'salt'), true) as reads_salts,
       coalesce((select has_column_privilege(a.attrelid, a.attnum, 'select')
                   from pg_attribute a
                  where a.attrelid = to_regclass('usher.erasure') and a.attname = 'salt'), false) as reads_keys
