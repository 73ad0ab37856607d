-- The data that usher shows about a user of xtablo: entitlements, organisations, data that other users would lose, and events.

-- @panel Possible other accounts of this person
-- @order 1
select u.id, u.email, t.same, u.pays_for, case when s.owner_user_id is not null then 'Stripe' end as stripe,
       case when a.owner_user_id is not null then 'Apple' end as apple, u.last_sign_in_at
  from (select n.other, string_agg(n.same, ', ' order by n.same)
          from (select t.id, t.other, t.same from twin t
                 union
                select p.id, o.id, 'name' from public.profiles p
                  join public.profiles o on lower(o.name) = lower(p.name) and o.id <> p.id) n
         where n.id = :user group by n.other) as t (id, same)
  join users u on u.id = t.id
  left join lateral (select e.owner_user_id from entitlement e where e.owner_user_id = u.id and e.provider = 'Stripe' and e.pays limit 1) s on true
  left join lateral (select e.owner_user_id from entitlement e where e.owner_user_id = u.id and e.provider = 'Apple' and e.pays limit 1) a on true
 order by u.last_sign_in_at desc nulls last, u.id;

-- @panel Billing candidates
-- @explains billing
-- @limit 50
select c.organization, case when c.environment = 'production' then c.place end as rank, c.provider, c.plan, c.status, c.verdict,
       c.period_end, c.quantity, c.environment, c.reference
  from membership m
  join candidate c on c.organization_id = m.organization_id
 where m.user_id = :user
 order by c.organization, c.environment, c.place;

-- @panel Organisations
select s.organization, case when s.billing_owner_id = m.user_id then 'billing owner' else l.role end as role, s.billing_owner,
       s.members, s.requirement, s.covered, s.entitlement, s.provider, s.status, s.trial_ends_at, s.organization_id
  from membership m
  join billing_state s on s.organization_id = m.organization_id and s.environment = 'production'
  left join public.organization_members l on l.organization_id = m.organization_id and l.user_id = m.user_id
 where m.user_id = :user
 order by s.organization;

-- @panel Data that other users lose with this account
-- @limit 50
select s.organization, u.email as member,
       case when s.covered then 'access, by ' || s.entitlement || ' from ' || s.provider
            when s.trial_ends_at > :now then 'access, by the trial'
            else 'no access: no paid plan, no trial' end as access,
       (select count(*) from public.tablos t where t.organization_id = m.organization_id and t.created_by = m.user_id) as own_tablos,
       (select count(*) from public.tablos t where t.organization_id = m.organization_id) as tablos
  from billing_state s
  join membership m on m.organization_id = s.organization_id and m.user_id <> s.billing_owner_id
  join users u on u.id = m.user_id
 where s.billing_owner_id = :user and s.environment = 'production'
 order by s.organization, u.email, u.id;

-- @timeline account
select a.created_at as at, 'account' as kind, 'signed up' as title, a.email as detail
  from auth.users a where a.id = :user
 union all
select p.created_at, 'account', 'profile created', concat_ws(', ', p.name, p.email)
  from public.profiles p where p.id = :user;

-- @timeline organisation
select m.created_at as at, 'organisation' as kind, 'joined ' || o.name as title, m.role as detail
  from public.organization_members m
  join public.organizations o on o.id = m.organization_id
 where m.user_id = :user
 union all
select d.at, 'organisation', d.title, o.name
  from membership m
  join public.organizations o on o.id = m.organization_id
 cross join lateral (values (o.created_at, 'organisation created'),
                            (o.trial_starts_at, 'trial started'),
                            (o.trial_ends_at, 'trial ended')) as d (at, title)
 where m.user_id = :user and d.at <= :now;

-- @timeline stripe
select d.at, 'stripe' as kind, d.title, concat_ws(', ', s.plan, s.quantity || ' seats', s.status, s.id) as detail
  from public.stripe_subscriptions s
 cross join lateral (values (s.created_at, 'subscribed'),
                            (s.current_period_start, 'period began'),
                            (s.current_period_end, 'period ended')) as d (at, title)
 where s.owner_user_id = :user and d.at <= :now;

-- @timeline content
select max(t.created_at) as at, 'content' as kind, count(*) || case when count(*) = 1 then ' tablo' else ' tablos' end as title,
       'on ' || to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD') as detail
  from public.tablos t where t.created_by = :user
 group by to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD');
