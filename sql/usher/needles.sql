-- Words to look for in what JSON writes, in lower case: patterns for LIKE, which settle nearly all, and one for the precise search.
-- A bare number means many things, and counts only where it stands for a user.
create or replace function usher.needles(names text[], out numbers text[], out parts text[], out words text)
language sql immutable set search_path = pg_catalog, pg_temp
as $$
    select array_agg(n.needle) filter (where n.is_number),
           array_agg('%' || regexp_replace(n.written, '([\\%_])', '\\\1', 'g') || '%') filter (where not n.is_number),
           '(?<![[:alnum:]._%+-])('
               || string_agg(regexp_replace(n.written, '([^[:alnum:]])', '\\\1', 'g'), '|') filter (where not n.is_number)
               || ')(?![[:alnum:]_-]|[.][[:alnum:]])'
      from (select n.needle, n.needle ~ '^[0-9]{1,18}$' as is_number, usher.written_name(n.needle) as written
              from unnest(needles.names) as n (needle)
             where n.needle <> '') n
$$;
