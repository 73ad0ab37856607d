-- Reads each text that was kept as its type, and keeps of which type it is or why it is none: what is caught in a block
-- is no error in the log of the server, which a cast in a statement would be.
do $$
#variable_conflict use_variable
declare
    value jsonb;
    type oid;
    state text;
    message text;
    detail text;
    hint text;
    answers jsonb := '[]';
begin
    for value in select v.value from jsonb_array_elements(current_setting('usher.typed')::jsonb) with ordinality as v (value, place)
                  order by v.place loop
        begin
            execute format('select pg_typeof(%L::%s)::oid', value ->> 'text', value ->> 'type') into type;
            answers := answers || jsonb_build_object('type', type);
        exception when others then
            get stacked diagnostics state = returned_sqlstate, message = message_text, detail = pg_exception_detail,
                                    hint = pg_exception_hint;
            answers := answers || jsonb_build_object(
                'state', state, 'message', message, 'detail', nullif(detail, ''), 'hint', nullif(hint, ''));
        end;
    end loop;
    perform set_config('usher.typed', answers::text, true);
end $$
