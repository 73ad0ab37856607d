-- The keys of rows of a table as JSON lists of texts: of those at some places, each followed by its partition where there are
-- such; else of those whose visible version this transaction wrote, or those that were written over, deleted or locked by what
-- this transaction has rolled back since. A version that is visible although its writer is still in progress can only be our own;
-- where Citus keeps the rows, each server asks that of its own transaction, and a place is the key itself.
create or replace function usher.row_keys(shape jsonb, which text, places jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    key constant text := (select string_agg(format('t.%s::text', c.of ->> 'sql'), ', ')
                            from jsonb_array_elements(shape -> 'columns') c (of) where (c.of ->> 'in_key')::boolean);
    -- At a place lies a row of each partition.
    parts constant text[] := case when row_keys.which = 'places' and (shape ->> 'partitioned')::boolean
                                  then array(select distinct split_part(p.place, ' ', 2) from jsonb_array_elements_text(row_keys.places) p (place))
                                  else '{""}' end;
    part text;
    own jsonb;
    keys jsonb := '[]';
begin
    if row_keys.which = 'places' and (shape ->> 'distributed')::boolean then
        return (select coalesce(jsonb_agg(distinct (p.place)::jsonb), '[]') from jsonb_array_elements_text(row_keys.places) p (place));
    end if;
    foreach part in array parts loop
        execute format(
            'select coalesce(jsonb_agg(distinct jsonb_build_array(%s)), ''[]'')
               from %s t%s
              where %s', key, case when part = '' then shape ->> 'sql' else part::oid::regclass::text end, usher.own_transaction(shape), case row_keys.which
            when 'places' then format('t.ctid = any (array(select split_part(p.place, '' '', 1)::tid
                                                             from jsonb_array_elements_text($1) p (place)
                                                            where split_part(p.place, '' '', 2) = %L))', part)
            when 'written' then '$1 is null and ' || usher.is_of_own(shape, 't.xmin', 'in progress')
            else '$1 is null and t.xmax <> ''0''::xid and ' || usher.is_of_own(shape, 't.xmax', 'aborted') end)
           into own
          using case when row_keys.which = 'places' then row_keys.places end;
        keys := keys || own;
    end loop;
    return keys;
end
$$;
