-- Fixes the settings of every function that runs with the owner's rights. Otherwise, the caller's settings could change the result of a
-- comparison or the recorded values of a row. The statement that creates the function sets its search path.
do $$
declare
    definer regprocedure;
begin
    for definer in
        select p.oid from pg_catalog.pg_proc p
         where p.pronamespace = 'usher'::pg_catalog.regnamespace and p.prosecdef
    loop
        execute pg_catalog.format('alter function %s set TimeZone = ''UTC''', definer);
        execute pg_catalog.format('alter function %s set DateStyle = ''ISO, YMD''', definer);
        execute pg_catalog.format('alter function %s set IntervalStyle = ''postgres''', definer);
        execute pg_catalog.format('alter function %s set bytea_output = ''hex''', definer);
        execute pg_catalog.format('alter function %s set extra_float_digits = 1', definer);
        execute pg_catalog.format('alter function %s set standard_conforming_strings = on', definer);
        execute pg_catalog.format('alter function %s set transform_null_equals = off', definer);
        execute pg_catalog.format('alter function %s set array_nulls = on', definer);
        execute pg_catalog.format('alter function %s set quote_all_identifiers = off', definer);
        execute pg_catalog.format('alter function %s set gin_fuzzy_search_limit = 0', definer);
        execute pg_catalog.format('alter function %s set lc_monetary = ''C''', definer);
        execute pg_catalog.format('alter function %s set lc_numeric = ''C''', definer);
        execute pg_catalog.format('alter function %s set lc_time = ''C''', definer);
        execute pg_catalog.format('alter function %s set timezone_abbreviations = ''Default''', definer);
        execute pg_catalog.format('alter function %s set xmlbinary = ''base64''', definer);
        execute pg_catalog.format('alter function %s set xmloption = ''content''', definer);
        execute pg_catalog.format('alter function %s set application_name = ''usher''', definer);
        execute pg_catalog.format('alter function %s set plpgsql.check_asserts = on', definer);
        execute pg_catalog.format('alter function %s set plpgsql.extra_errors = ''none''', definer);
        -- Otherwise the caller would get the values in the queries of triggers as log messages.
        execute pg_catalog.format('alter function %s set debug_print_parse = off', definer);
        execute pg_catalog.format('alter function %s set debug_print_rewritten = off', definer);
        execute pg_catalog.format('alter function %s set debug_print_plan = off', definer);
        execute pg_catalog.format('alter function %s set client_min_messages = notice', definer);
        -- These functions run each query only a few times.
        execute pg_catalog.format('alter function %s set jit = off', definer);
    end loop;
end
$$;
