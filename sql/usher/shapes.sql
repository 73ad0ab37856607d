-- The tables that a pass wrote, by their oid; temporary ones may be made anew each time, and concern nobody.
create or replace function usher.shapes(app jsonb, pass jsonb) returns jsonb
language plpgsql stable
as $$
declare
    secrets constant text[] := array(select jsonb_array_elements_text(app -> 'secrets'));
    shapes jsonb;
    secret record;
begin
    select coalesce(jsonb_object_agg(s.shape ->> 'oid', s.shape), '{}') into shapes
      from jsonb_object_keys(pass -> 'counts') k (oid), lateral (select usher.shape(k.oid::oid, secrets) as shape offset 0) s
     where not (s.shape ->> 'temporary')::boolean;
    for secret in
        select s.value ->> 'name' as relation, c.value ->> 'name' as name
          from jsonb_each(shapes) s, jsonb_array_elements(s.value -> 'columns') c
         where (c.value ->> 'in_key')::boolean and (c.value ->> 'secret')::boolean
    loop
        raise exception 'this changes rows of %, which % tells apart, and that is never recorded', secret.relation, secret.name
              using errcode = 'US003', detail = jsonb_build_object('refusal', 'secret_key', 'table', secret.relation, 'column', secret.name)::text;
    end loop;
    return shapes;
end
$$;
