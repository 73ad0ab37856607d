-- Which answers of a decision with several an act on some subjects promises something of: the number of the promise, the subject,
-- its user, and what the answer is for.
create or replace function usher.about(act jsonb, keys text[], at timestamptz, arguments jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    promise record;
    found jsonb;
    pairs jsonb := '[]';
begin
    for promise in select e.place, e.of ->> 'about' as sql
                     from jsonb_array_elements(act -> 'expects') with ordinality as e (of, place)
                    where e.of ->> 'about' is not null loop
        execute format('select jsonb_agg(jsonb_build_array($4, o.subject, o.owner, o.one)) from (%s) o (subject, owner, one)', promise.sql)
           into found using about.at, about.keys, about.arguments, promise.place;
        pairs := pairs || coalesce(found, '[]');
    end loop;
    return pairs;
end
$$;
