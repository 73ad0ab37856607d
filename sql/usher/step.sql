-- Runs one statement as the app itself would, under the search path that its triggers were written for, and says which row
-- versions it wrote, where it tells, and how many rows. Names are qualified since that path holds while it runs. Tables and types
-- of the caller's come last in it: else they would stand before the app's and the catalog's, and run as the owner.
--
-- An error is passed on without secrets: the detail of a broken constraint contains the whole row, and any text of an error may
-- contain an argument.
create or replace function usher.step(
    app jsonb, act jsonb, statement text, tells boolean, at timestamptz, keys text[], arguments jsonb, summary text,
    out tables text[], out places text[], out written bigint
)
language plpgsql volatile
as $$
declare
    place record;
    complaint text;
    detail text;
    hint text;
    schema text;
    relation text;
    secret text;
begin
    tables := '{}';
    places := '{}';
    perform pg_catalog.set_config(
        'search_path', pg_catalog.concat_ws(', ', nullif(pg_catalog.btrim(step.app ->> 'path'), ''), 'pg_temp'), true);
    if tells then
        for place in execute step.statement using step.at, step.keys, step.arguments loop
            tables := pg_catalog.array_append(tables, place.tableoid);
            places := pg_catalog.array_append(places, place.ctid);
        end loop;
        written := pg_catalog.cardinality(places);
    else
        execute step.statement using step.at, step.keys, step.arguments;
        get diagnostics written = row_count;
    end if;
    perform pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
exception when others then
    if usher.is_passing(sqlstate) then raise; end if;
    get stacked diagnostics complaint = message_text, detail = pg_exception_detail, hint = pg_exception_hint,
        schema = schema_name, relation = table_name;
    if left(sqlstate, 2) in ('23', '44') and not usher.may_see(app, schema, relation) then detail := ''; end if;
    for secret in
        select a.value
          from jsonb_array_elements(step.act -> 'parameters') p
          join jsonb_each_text(step.arguments) a on a.key = p.value ->> 'name' and a.value <> ''
         where (p.value ->> 'secret')::boolean
    loop
        complaint := replace(complaint, secret, '(secret)');
        detail := replace(detail, secret, '(secret)');
        hint := replace(hint, secret, '(secret)');
    end loop;
    raise sqlstate 'UA005' using message = jsonb_build_object(
        'state', sqlstate, 'message', complaint, 'detail', nullif(detail, ''), 'hint', nullif(hint, ''),
        'table', case when relation <> '' then schema || '.' || relation end, 'step', step.summary)::text;
end
$$;
