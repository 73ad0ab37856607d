-- The data that usher shows about a user of StrikeLab: the rows of the profile, training, events and numbers.

-- @define part (id, position, name, is_there)  The twelve rows of a complete profile, and whether each exists.
select a.id, 1, 'profile', exists (select from public.users u where u.id = a.id)
  from auth.users a
 union all
select a.id, 2, 'levels', exists (select from public.user_levels l where l.user_id = a.id)
  from auth.users a
 union all
select a.id, 2 + k.position, 'progress in ' || k.name,
       exists (select from public.category_progress p where p.user_id = a.id and p.name = k.name)
  from auth.users a
 cross join category k
 union all
select a.id, 12, 'daily tracker', exists (select from public.daily_xp_tracker t where t.user_id = a.id)
  from auth.users a;

-- @panel Possible other accounts of this person
-- @order 1
select u.id, u.email, t.same, u.provider, u.categories, u.last_sign_in_at
  from (select n.other, string_agg(n.same, ', ' order by n.same) from twin n where n.id = :user group by n.other) as t (id, same)
  join users u on u.id = t.id
 order by u.last_sign_in_at desc nulls last, u.id;

-- @panel Profile rows
-- @explains profile
select p.name as row, case when p.is_there then 'there' else 'missing' end as state
  from part p where p.id = :user
 order by p.position;

-- @panel Progress
select k.name as category, p.level, p.xp, v.level as level_in_user_levels, v.xp as xp_in_user_levels, p.updated_at
  from category k
  left join public.category_progress p on p.user_id = :user and p.name = k.name
  left join public.user_levels l on l.user_id = :user
  left join lateral (values ('punches', l.punches_level, l.punches_xp), ('kicks', l.kicks_level, l.kicks_xp),
                            ('elbows', l.elbows_level, l.elbows_xp), ('knees', l.knees_level, l.knees_xp),
                            ('footwork', l.footwork_level, l.footwork_xp), ('clinch', l.clinch_level, l.clinch_xp),
                            ('defensive', l.defensive_level, l.defensive_xp), ('sweeps', l.sweeps_level, l.sweeps_xp),
                            ('feints', l.feints_level, l.feints_xp)) as v (name, level, xp) on v.name = k.name
 order by k.position;

-- @panel Training days
-- @limit 14
select t.date, t.workout_count as workouts
  from public.daily_xp_tracker t where t.user_id = :user
 order by t.date desc;

-- @panel Own workouts
-- @limit 12
select w.created_at, w.title, w.rounds, w.updated_at
  from public.workouts w where w.user_id = :user
 order by w.created_at desc, w.id;

-- @timeline account
select a.created_at as at, 'account' as kind, 'signed up' as title, concat_ws(', ', a.email, a.raw_app_meta_data ->> 'provider') as detail
  from auth.users a where a.id = :user
 union all
select u.created_at, 'account', 'profile created', concat_ws(', ', u.email, u.stance)
  from public.users u where u.id = :user;

-- @timeline training
select t.date::timestamp at time zone 'UTC' as at, 'training' as kind,
       t.workout_count || case when t.workout_count = 1 then ' workout' else ' workouts' end as title, null::text as detail
  from public.daily_xp_tracker t where t.user_id = :user and t.workout_count > 0;

-- @timeline workout
select w.created_at as at, 'workout' as kind, 'created ' || w.title as title, w.rounds || ' rounds' as detail
  from public.workouts w where w.user_id = :user;

-- @stat providers  Users by sign-in provider.
select coalesce(provider, 'unknown') as label, count(*) as value from users group by 1 order by 2 desc, 1;
