-- The data that usher shows about a user of Pro Import Tools: pro, the trial, the store, events and numbers.

-- @panel Possible other accounts of this person
-- @order 1
select u.id, u.email, t.same, u.is_pro, u.source, u.expires_at, u.last_sign_in_at
  from (select n.other, string_agg(n.same, ', ' order by n.same)
          from (select t.id, t.other, t.same from twin t
                 union
                select p.id, o.id, 'name' from public.profiles p
                  join public.profiles o on lower(o.name) = lower(p.name) and o.id <> p.id) n
         where n.id = :user group by n.other) as t (id, same)
  join users u on u.id = t.id
 order by u.last_sign_in_at desc nulls last, u.id;

-- @panel Entitlement
-- @explains pro
select e.is_pro, e.source, e.expires_at, e.granted_at, c.id as code, c.label as code_label, c.standing as code_standing, e.updated_at
  from public.entitlements e
  left join code c on c.id = e.unlock_code_id
 where e.user_id = :user;

-- @panel Free trial
-- @explains trial
select t.eligible, t.used_at, t.reset_at, t.updated_at
  from public.trial_eligibility t where t.user_id = :user;

-- @panel Store
-- @explains paywall
select p.product_id, p.state, p.message, p.checked_at
  from product p order by p.product_id;

-- @panel Profile
select p.name, p.email, p.created_at, p.updated_at
  from public.profiles p where p.id = :user;

-- @timeline account
select a.created_at as at, 'account' as kind, 'signed up' as title, concat_ws(', ', a.email, a.raw_app_meta_data ->> 'provider') as detail
  from auth.users a where a.id = :user
 union all
select p.created_at, 'account', 'profile created', p.email
  from public.profiles p where p.id = :user;

-- @timeline pro
select d.at, 'pro' as kind, d.title, concat_ws(', ', e.source, c.label) as detail
  from public.entitlements e
  left join public.unlock_codes c on c.id = e.unlock_code_id
 cross join lateral (values (e.granted_at, 'became pro'), (e.expires_at, 'pro ended')) as d (at, title)
 where e.user_id = :user and d.at <= :now;

-- @timeline trial
select d.at, 'trial' as kind, d.title, null as detail
  from public.trial_eligibility t
 cross join lateral (values (t.used_at, 'free trial began'), (t.reset_at, 'eligible again')) as d (at, title)
 where t.user_id = :user and d.at <= :now;

-- @stat sources  Pro users by source.
select coalesce(source, 'unknown') as label, count(*) as value from users
 where is_pro and (expires_at is null or expires_at > :now)
 group by 1 order by 2 desc, 1;

-- @stat pro-ending  Users whose pro ends in the next two weeks, by day.
select day::date as label, count(u.id) as value
  from generate_series(:now, :now + interval '14 days', interval '1 day') as day
  left join users u on u.is_pro and u.expires_at > :now and u.expires_at <= :now + interval '14 days'
                   and u.expires_at::date = day::date
 group by 1 order by 1;
