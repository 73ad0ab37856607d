-- What people call some subjects: a few of them in a line.
create or replace function usher.labelled(app jsonb, act jsonb, keys text[], at timestamptz) returns text
language plpgsql volatile
as $$
declare
    few constant text[] := labelled.keys[:20];
    names text;
begin
    if act ->> 'subject' = 'users' and app ->> 'labels' is not null then
        execute format('select string_agg(coalesce(l.label, k.key), '', '' order by k.place)
                          from unnest($2) with ordinality as k (key, place) left join (%s) l (key, label) on l.key = k.key',
                       app ->> 'labels')
           into names using labelled.at, few;
    else
        names := array_to_string(few, ', ');
    end if;
    return names || case when cardinality(labelled.keys) > 20 then ', ...' else '' end;
end
$$;
