-- Has each statement that was kept parsed and planned, and keeps what it fails for where the connected role may not do it, or
-- a table is not there: what is caught in a block is no error in the log of the server, which a refusal of the statement itself
-- would be.
do $$
#variable_conflict use_variable
declare
    statement text;
    step text;
    refusal text;
    state text;
    answers jsonb := '[]';
begin
    for statement in select s.value from jsonb_array_elements_text(current_setting('usher.tried')::jsonb) with ordinality as s (value, place)
                      order by s.place loop
        refusal := null;
        state := null;
        step := 'parsing';
        begin
            execute 'prepare usher_tried as ' || statement;
            step := 'planning';
            execute 'explain execute usher_tried'
                || coalesce((select '(' || string_agg('null', ', ') || ')'
                               from pg_prepared_statements p, unnest(p.parameter_types) where p.name = 'usher_tried'), '');
        exception
            when insufficient_privilege or undefined_table or invalid_schema_name then
                refusal := sqlerrm;
                state := sqlstate;
            -- What else is wrong is told where the statement is sent, with its place.
            when others then null;
        end;
        answers := answers || jsonb_build_object('step', step, 'refusal', refusal, 'state', state);
        -- A prepared statement outlives the block in which something went wrong.
        if exists (select from pg_prepared_statements p where p.name = 'usher_tried') then
            deallocate usher_tried;
        end if;
    end loop;
    perform set_config('usher.tried', answers::text, true);
end $$
