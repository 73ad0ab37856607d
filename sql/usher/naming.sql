-- The changes by some operations that speak of people by one of their names, in whatever value.
--
-- To look for each of very many names in each of very many texts would never end. Whatever a name consists of stands in a text as
-- words of its own, so that the longest of them leads from the words of a text to the few names that it may have.
create or replace function usher.naming(operations uuid[], names text[]) returns table (operation uuid, ordinal integer)
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_nestloop = off
as $$
declare
    -- To take a text apart costs as much as to look for so many names in it.
    few constant integer := 32;
    sought text[];
begin
    if cardinality(operations) = 0 then return; end if;
    select n.parts into sought from usher.needles(naming.names) n;
    return query
        with n as materialized (
            select p.parts[1] as part, p.words,
                   (select w.word from regexp_split_to_table(usher.written_name(n.name), '[^[:alnum:]_-]+') w (word)
                     order by length(w.word) desc limit 1) as word
              from (select distinct u.name from unnest(naming.names) u (name)) n
             cross join lateral usher.needles(array[n.name]) p
             where p.parts is not null),
        t as materialized (
            select c.operation, c.ordinal, lower(c.payload::text) as text
              from usher.change c
             where c.operation = any (naming.operations) and c.payload is not null
               and (cardinality(sought) > few or lower(c.payload::text) like any (sought)))
        select distinct t.operation, t.ordinal
          from t
         cross join lateral regexp_split_to_table(t.text, '[^[:alnum:]_-]+') w (word)
          join n on n.word = w.word
         where t.text like n.part and t.text ~ n.words;
end
$$;
