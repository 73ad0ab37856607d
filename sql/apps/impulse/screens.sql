-- The data that usher shows about a user of Impulse AI: usage, panels, objects, events and numbers.

-- @define usage  The usage of each user, and the limits of the tier.
select p.id, c.period, r.resets_at, case when r.reset_due then 0 else coalesce(q.impulses_used, 0) end as impulses, c.impulse_limit,
       case when r.reset_due then 0 else coalesce(q.check_ins_used, 0) end as check_ins, c.check_in_limit
  from public.profiles p
  join public.subscription_config c on c.tier = p.subscription_tier
  left join public.impulse_quota q on q.user_id = p.id
 cross join lateral (select case when c.period = 'month' then q.resets_at end as resets_at,
                            coalesce(c.period = 'month' and q.resets_at <= :now, false) as reset_due) as r;

-- @quota impulses
-- @tier tier
select id, impulses, impulse_limit, period, resets_at from usage;
-- @history  Day by day, the last four weeks.
select :now - days.ago * interval '1 day', coalesce(made.count, 0)
  from generate_series(0, 27) as days (ago)
  left join (select floor(extract(epoch from :now - i.created_at) / 86400)::int as ago, count(*)
               from public.impulses i
              where i.user_id = :user and i.created_at > :now - interval '28 days' and i.created_at <= :now
              group by 1) made on made.ago = days.ago;

-- @quota check-ins
-- @tier tier
select id, check_ins, check_in_limit, period, resets_at from usage;
-- @history  Day by day, the last four weeks.
select :now - days.ago * interval '1 day', coalesce(made.count, 0)
  from generate_series(0, 27) as days (ago)
  left join (select floor(extract(epoch from :now - c.created_at) / 86400)::int as ago, count(*)
               from public.check_ins c
              where c.user_id = :user and c.created_at > :now - interval '28 days' and c.created_at <= :now
              group by 1) made on made.ago = days.ago;

-- @panel Possible other accounts of this person
-- @order 1
select u.id, u.email, t.same, u.tier, u.status, r.platform as store, u.auth_provider, u.last_sign_in_at
  from (select n.other, string_agg(n.same, ', ' order by n.same) from twin n where n.id = :user group by n.other) as t (id, same)
  join users u on u.id = t.id
  left join running r on r.user_id = u.id
 order by u.last_sign_in_at desc nulls last, u.id;

-- @panel Profile
select p.subscription_tier as tier, p.subscription_status as status, p.trial_started_at, p.trial_ends_at, p.trial_converted,
       p.subscription_end_date, p.subscription_cancelled_at, p.is_partner, p.partner_source,
       p.email, p.notification_email, p.auth_provider, p.created_at, p.updated_at
  from public.profiles p where p.id = :user;

-- @panel Store subscription
select s.platform, s.product, s.status, s.expires_date, s.renews, s.original_transaction_id, s.since
  from subscription s where s.user_id = :user order by s.expires_date desc nulls last, s.original_transaction_id;

-- @panel Transactions
-- @limit 12
select t.purchased_at, t.kind, t.platform, t.product, t.amount, t.currency, t.paid_until, t.transaction_id
  from transaction t where t.user_id = :user order by t.purchased_at desc, t.transaction_id;

-- @object transaction  A payment or a refund, as the store recorded it.
-- @key transaction_id
-- @user user_id
-- @columns transaction_id, kind, product, amount, currency, purchased_at
-- @order purchased_at desc
select t.transaction_id, t.kind, t.platform_product_id as product, t.amount, t.currency, t.purchased_at, t.expires_date as paid_until,
       t.platform, t.environment, t.user_id
  from public.iap_transactions t;

-- @object subscription  A store subscription.
-- @key original_transaction_id
-- @user user_id
-- @columns original_transaction_id, product, status, expires_date, renews
-- @order expires_date desc
select s.original_transaction_id, s.platform, s.platform_product_id as product, s.status, s.expires_date, s.auto_renew_enabled as renews,
       s.created_at as since, s.user_id
  from public.iap_subscriptions s;

-- @timeline account
select a.created_at as at, 'account' as kind, 'signed up' as title, concat_ws(', ', a.email, a.raw_app_meta_data ->> 'provider') as detail
  from auth.users a where a.id = :user
 union all
select d.at, 'account', d.title, d.detail
  from public.profiles p
 cross join lateral (values (p.created_at, 'profile created', p.email), (p.trial_started_at, 'trial started', null),
                            (p.trial_ends_at, 'trial ended', null), (p.subscription_cancelled_at, 'subscription cancelled', null),
                            (p.subscription_end_date, 'paid time ended', null)) as d (at, title, detail)
 where p.id = :user and d.at <= :now;

-- @timeline store
select e.received_at as at, 'webhook' as kind, e.event_type as title,
       concat_ws(', ', e.environment, e.product, case when e.processed_at is null then 'not processed' end, e.event_id) as detail
  from event e where e.user_id = :user;

-- @timeline payment
select t.purchased_at as at, 'payment' as kind, concat_ws(' ', t.kind, t.amount, t.currency) as title,
       concat_ws(', ', t.platform_product_id, t.platform, t.environment, t.transaction_id) as detail
  from public.iap_transactions t where t.user_id = :user;

-- @timeline content
select max(c.at) as at, 'content' as kind, count(*) || ' ' || case when count(*) = 1 then c.one else c.many end as title,
       'on ' || to_char(c.day, 'YYYY-MM-DD') as detail
  from (select i.created_at, 'impulse', 'impulses' from public.impulses i where i.user_id = :user
         union all
        select k.created_at, 'check-in', 'check-ins' from public.check_ins k where k.user_id = :user) as w (at, one, many)
 cross join lateral (select w.*, date_trunc('day', w.at at time zone 'UTC') as day) as c
 group by c.day, c.one, c.many;

-- @stat tiers  Users by tier.
select coalesce(tier, 'none') as label, count(*) as value from users group by 1 order by 2 desc, 1;

-- @stat trials-ending  Running trials that end in the next two weeks, by day.
select day::date as label, count(u.id) as value
  from generate_series(:now, :now + interval '14 days', interval '1 day') as day
  left join users u on u.tier = 'trial' and u.status = 'active' and u.trial_ends_at > :now
                   and u.trial_ends_at <= :now + interval '14 days' and u.trial_ends_at::date = day::date
 group by 1 order by 1;
