-- The users for whom not everything came true that an act promises: which promise, and what came instead. All answers of a
-- decision have to be as promised, or those that the promise is about, and there has to be one.
create or replace function usher.unkept(act jsonb, users text[], standing jsonb) returns jsonb
language sql immutable
as $$
    select coalesce(jsonb_agg(u.objection order by u.place), '[]')
      from (select distinct on (w.place) w.place,
                   jsonb_build_object('key', w.key, 'promise', p.place - 1, 'outcome', a.outcome,
                                      'unavailable', standing -> 'unavailable' -> (p.of ->> 'decision'),
                                      'unanswered', a.user is null) as objection
              from unnest(unkept.users) with ordinality as w (key, place)
             cross join jsonb_array_elements(act -> 'expects') with ordinality as p (of, place)
             cross join lateral (select null where p.of ->> 'about' is null
                                  union all
                                 select b.value ->> 3
                                   from jsonb_array_elements(standing -> 'about') as b (value)
                                  where (b.value ->> 0)::bigint = p.place and b.value ->> 2 = w.key) as o (one)
              left join (select x.value ->> 0, x.value ->> 1, x.value ->> 2, x.value ->> 3, x.place
                           from jsonb_array_elements(standing -> 'answers') with ordinality as x (value, place)
                        ) as a ("user", decision, per, outcome, place)
                on a.user = w.key and a.decision = p.of ->> 'decision' and (p.of ->> 'about' is null or a.per = o.one)
             where a.user is null or a.outcome is null or not p.of -> 'outcomes' ? a.outcome
             order by w.place, p.place, a.place) u
$$;
