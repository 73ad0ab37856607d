-- Refuses what empties, alters or drops a table: nothing of that is counted, or could be taken back. A version of an entry
-- in the catalog that is visible although its writer is still in progress can only be our own.
create or replace function usher.refuse_remade() returns void
language plpgsql volatile
as $$
declare
    names text;
begin
    select string_agg(r.name, ', ') into names
      from (select n.nspname || '.' || c.relname as name
              from pg_class c
              join pg_namespace n on n.oid = c.relnamespace
             cross join (select pg_current_xact_id()::xid as x, pg_current_xact_id()::text::numeric as n) own
             where c.relkind in ('r', 'p') and c.relpersistence <> 't'
               and age(c.xmin) <= age(own.x)
               and pg_xact_status((own.n + age(own.x) - age(c.xmin))::text::xid8) = 'in progress'
             order by 1
             limit 10) r;
    raise exception 'this % as a whole, which can neither be shown row by row nor undone',
          coalesce('empties or alters ' || names, 'drops a table')
          using errcode = 'US003', detail = jsonb_build_object('refusal', 'remade', 'tables', names)::text;
end
$$;
