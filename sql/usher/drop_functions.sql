-- Drops the functions that another build of this version installed. The scripts after this one create them again.
drop trigger if exists erasure_guard on usher.erasure;
drop trigger if exists erasure_asks_operator on usher.erasure;
do $$
declare
    function regprocedure;
begin
    for function in select p.oid from pg_catalog.pg_proc p where p.pronamespace = 'usher'::pg_catalog.regnamespace loop
        execute pg_catalog.format('drop routine %s', function);
    end loop;
end
$$;
