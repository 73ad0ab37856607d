-- Refuses a session that holds temporary objects: a function of the app's with a search path of its own looks for tables and
-- types among them first, and would run what the caller has hung on them as the owner of this schema.
create or replace function usher.refuse_temporary() returns void
language plpgsql stable
as $$
begin
    if exists (select from pg_depend d where d.refclassid = 'pg_namespace'::regclass and d.refobjid = pg_my_temp_schema()) then
        raise exception 'this session holds temporary objects, and what an act calls could take them for those of the app'
              using errcode = 'US003', detail = jsonb_build_object('refusal', 'temporary')::text;
    end if;
end
$$;
