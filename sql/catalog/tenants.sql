-- The schemas of an app file for many schemas: those whose names match a pattern ($1), in which % stands for any characters.
-- Without a pattern, those that have a table ($3), and a column ($4) unless it is empty, of each group ($2) that the app file
-- requires.
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
