-- The schemas of the tenants of an app file. With a pattern ($1), these are the schemas whose name matches; % matches any characters.
-- Without a pattern, these are the schemas that have at least one table ($3) of each group ($2) that the app file requires. If $4 is
-- not empty, the table must have this column.
select n.nspname as name
  from pg_namespace n
 where n.nspname not like 'pg\_%'
   and n.nspname not in ('information_schema', 'usher')
   and case when $1::text is not null
            then n.nspname like replace(replace($1, '\', '\\'), '_', '\_')
            else n.oid in (select c.relnamespace
                             from unnest($2::int[], $3::text[], $4::text[]) as r (part, "table", "column")
                             join pg_class c on c.relname = r."table" and c.relkind in ('r', 'p', 'v', 'm', 'f')
                            where r."column" = ''
                               or exists (select
                                            from pg_attribute a
                                           where a.attrelid = c.oid
                                             and a.attname = r."column"
                                             and a.attnum > 0
                                             and not a.attisdropped)
                            group by c.relnamespace
                           having count(distinct r.part) = (select max(part) from unnest($2::int[]) as p (part)))
       end
 order by n.nspname collate "C"
