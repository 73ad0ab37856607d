-- The answers of the decisions about some users, and about no others, before and after, in the order of the users and of the
-- app file.
create or replace function usher.decided(app jsonb, users text[], before jsonb, after jsonb) returns jsonb
language sql immutable
as $$
    select coalesce(
               jsonb_agg(jsonb_build_object('user', d.user, 'decision', d.decision, 'per', d.per, 'before', d.before, 'after', d.after)
                         order by u.place, n.place, d.per collate "C"), '[]')
      from (select coalesce(b.user, a.user) as "user", coalesce(b.decision, a.decision) as decision,
                   case when coalesce(b.per, a.per) <> '-' then substr(coalesce(b.per, a.per), 2) end as per, b.outcome as before, a.outcome as after
              from (select distinct on (1, 2, 3) x.value ->> 0, x.value ->> 1, coalesce('+' || (x.value ->> 2), '-'), x.value ->> 3
                      from jsonb_array_elements(decided.before -> 'answers') x order by 1, 2, 3) as b ("user", decision, per, outcome)
              full join
                   (select distinct on (1, 2, 3) x.value ->> 0, x.value ->> 1, coalesce('+' || (x.value ->> 2), '-'), x.value ->> 3
                      from jsonb_array_elements(decided.after -> 'answers') x order by 1, 2, 3) as a ("user", decision, per, outcome)
                on a.user = b.user and a.decision = b.decision and a.per = b.per) d
      join (select k.key, min(k.place) from unnest(decided.users) with ordinality as k (key, place) group by k.key) as u (key, place)
        on u.key = d.user
      left join jsonb_array_elements(app -> 'decisions') with ordinality as n (of, place) on n.of ->> 'name' = d.decision
$$;
