-- The keys of rows of a table as JSON lists of texts: of those at some places, else of those whose visible version this
-- transaction wrote, or those that were written over, deleted or locked by what this transaction has rolled back since. A
-- version that is visible although its writer is still in progress can only be our own.
create or replace function usher.row_keys(shape jsonb, which text, places jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    key constant text := (select string_agg(format('t.%s::text', c.of ->> 'sql'), ', ')
                            from jsonb_array_elements(shape -> 'columns') c (of) where (c.of ->> 'in_key')::boolean);
    keys jsonb;
begin
    execute format(
        'select coalesce(jsonb_agg(distinct jsonb_build_array(%s)), ''[]'')
           from %s t, (select pg_current_xact_id()::xid as x, pg_current_xact_id()::text::numeric as n) own
          where %s', key, shape ->> 'sql', case row_keys.which
        when 'places' then 't.ctid = any (array(select p.place::tid from jsonb_array_elements_text($1) p (place)))'
        when 'written' then '$1 is null and age(t.xmin) <= age(own.x)
                             and pg_xact_status((own.n + age(own.x) - age(t.xmin))::text::xid8) = ''in progress'''
        else '$1 is null and t.xmax <> ''0''::xid and age(t.xmax) <= age(own.x)
              and pg_xact_status((own.n + age(own.x) - age(t.xmax))::text::xid8) = ''aborted''' end)
       into keys
      using case when row_keys.which = 'places' then row_keys.places end;
    return keys;
end
$$;
