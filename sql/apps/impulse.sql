-- Impulse AI. Access is binary, active or paywall, and one decision says which; a quota limits what an active user may create.

-- @app impulse  Impulse AI
-- @requires public.profiles.subscription_tier
-- @requires public.subscription_config.impulse_limit
-- @requires public.impulse_quota.impulses_used
-- @include supabase

-- @users
-- @key id
-- @email email, notification_email
-- @search name, email, notification_email
select a.id, a.raw_user_meta_data ->> 'full_name' as name, coalesce(p.email, a.email) as email, p.notification_email, p.auth_provider,
       p.subscription_tier as tier, p.subscription_status as status, p.is_partner, p.partner_source,
       p.trial_started_at, p.trial_ends_at, p.trial_converted, p.subscription_end_date, p.subscription_cancelled_at,
       p.id is not null as has_profile, a.created_at, a.last_sign_in_at
  from auth.users a
  left join public.profiles p on p.id = a.id;

-- @select due  Trials that have ended and are still marked active.
tier = 'trial' and status = 'active' and trial_ends_at <= :now;

-- @select partners  Partners whose access is open.
tier = 'partner' and status = 'active' and is_partner;

-- @select paying  Subscriptions that are paid for and run on.
tier in ('foundation', 'mastery') and status = 'active';

-- @select leaving  Cancelled, with paid days left.
tier in ('foundation', 'mastery') and status = 'cancelled' and subscription_end_date > :now;

-- @define usage  What each user has used of what each tier allows; applies marks the tier the user has.
select p.id, c.tier, c.tier = p.subscription_tier as applies, k.name, case when r.reset_due then 0 else coalesce(k.used, 0) end as used,
       k."limit", c.period, r.resets_at, r.reset_due
  from public.profiles p
 cross join public.subscription_config c
  left join public.impulse_quota q on q.user_id = p.id
 cross join lateral (values ('impulses', q.impulses_used, c.impulse_limit), ('check-ins', q.check_ins_used, c.check_in_limit))
       as k (name, used, "limit")
 cross join lateral (select case when c.period = 'month' then q.resets_at end as resets_at,
                            coalesce(c.period = 'month' and q.resets_at <= :now, false) as reset_due) as r;

-- @object event  A store webhook, as received.
-- @key event_id
-- @user user_id
select e.event_id, e.event_type, e.environment, e.user_id, e.payload ->> 'product_id' as product,
       (e.payload ->> 'at')::timestamptz as happened_at, e.received_at, e.processed_at, e.payload
  from public.iap_webhook_events e;

-- @select unprocessed  Received but never processed.
processed_at is null;


-- ---- Access ---------------------------------------------------------------------------------------------------------------------

-- @decision access  Does the app let this user in?

-- @rule paywall  There is a sign-in but no profile, so the app knows no tier: the sign-up trigger did not run.
-- @advice See what else this account has, and hand it to engineering: `user timeline {email}`
has_profile is not true;

-- @rule paywall  The profile names no tier or no status, so nothing opens the app.
-- @advice This should not happen; hand it to engineering.
tier is null or status is null;

-- @rule active  The trial runs until {trial_ends_at}.
tier = 'trial' and status = 'active' and trial_ends_at > :now;

-- @rule paywall  The trial ended at {trial_ends_at}. It is still marked active, but the app goes by the date.
-- @advice The user can subscribe in the app; nothing is broken.
tier = 'trial' and status = 'active' and trial_ends_at <= :now;

-- @rule paywall  The trial is marked active but has no end date, and without one the app stays closed.
-- @advice Look for how the date was lost: `user timeline {email}`
tier = 'trial' and status = 'active';

-- @rule paywall  The trial ended at {trial_ends_at} and has expired.
-- @advice The user can subscribe in the app; nothing is broken.
-- @advice If the user has paid, the purchase may be stuck: `event list --unprocessed`
tier = 'trial' and status = 'expired' and trial_ends_at <= :now;

-- @rule paywall  The trial was ended before its date, which was {trial_ends_at}: it is marked expired.
-- @advice The user can subscribe in the app.
tier = 'trial' and status = 'expired' and trial_ends_at > :now;

-- @rule paywall  The trial is marked expired; no end date is recorded.
-- @advice The user can subscribe in the app. If this was a partner: deactivating one leaves an expired trial.
tier = 'trial' and status = 'expired';

-- @rule paywall  The trial is switched off: its status is inactive, whatever its end date says.
-- @advice The user can subscribe in the app.
tier = 'trial' and status = 'inactive';

-- @rule paywall  The trial is marked cancelled. Only a subscription can be cancelled and run on; a trial ends at once.
-- @advice The user can subscribe in the app.
tier = 'trial' and status = 'cancelled';

-- @rule active  A partner, without expiry.
tier = 'partner' and status = 'active' and is_partner;

-- @rule paywall  The tier is partner but the partner flag is not set, and the app asks for both.
-- @advice Ask an admin whether this user is a partner; the tier and the flag were not set together.
tier = 'partner' and status = 'active';

-- @rule paywall  The partnership has ended: the partner tier is expired.
-- @advice Ask an admin whether it should be renewed; otherwise the user can subscribe in the app.
tier = 'partner' and status = 'expired';

-- @rule paywall  The partnership is switched off: the partner tier is inactive.
-- @advice Ask an admin whether it should be renewed; otherwise the user can subscribe in the app.
tier = 'partner' and status = 'inactive';

-- @rule paywall  The partner tier is marked cancelled. Only a paid subscription can be cancelled and run on.
-- @advice Ask an admin whether this user is still a partner.
tier = 'partner' and status = 'cancelled';

-- @rule active  Pays for {tier}; the current period runs until {subscription_end_date}.
tier in ('foundation', 'mastery') and status = 'active' and subscription_end_date > :now;

-- @rule active  Pays for {tier}. The period ended at {subscription_end_date}, but the store has not said expired, and the store decides.
-- @advice The renewal may be stuck: `event list --unprocessed`
tier in ('foundation', 'mastery') and status = 'active' and subscription_end_date <= :now;

-- @rule active  Pays for {tier}; no end of the current period is recorded.
tier in ('foundation', 'mastery') and status = 'active';

-- @rule active  The {tier} subscription is cancelled, but paid until {subscription_end_date}; the app stays open until then.
-- @advice To stay, the user turns renewal on again in the store before that date.
tier in ('foundation', 'mastery') and status = 'cancelled' and subscription_end_date > :now;

-- @rule paywall  The {tier} subscription was cancelled, and the paid time ended at {subscription_end_date}.
-- @advice Only the store can renew it: the user subscribes again in the app.
tier in ('foundation', 'mastery') and status = 'cancelled' and subscription_end_date <= :now;

-- @rule paywall  The {tier} subscription is cancelled and no end of the paid time is recorded, so the app counts it as over.
-- @advice Compare the expiry date under "Store subscription": `user show {email}`
tier in ('foundation', 'mastery') and status = 'cancelled';

-- @rule paywall  The {tier} subscription has expired; the paid time ended at {subscription_end_date}.
-- @advice Only the store can renew it: the user subscribes again in the app.
-- @advice If the user has paid since, the purchase may be stuck: `event list --unprocessed`
tier in ('foundation', 'mastery') and status = 'expired' and subscription_end_date <= :now;

-- @rule paywall  The {tier} subscription was ended before {subscription_end_date}, as happens after a refund: it is marked expired.
-- @advice Look for the refund: `user timeline {email}`
tier in ('foundation', 'mastery') and status = 'expired' and subscription_end_date > :now;

-- @rule paywall  The {tier} subscription has expired; no end of the paid time is recorded.
-- @advice Look for what the store sent: `user timeline {email}`
tier in ('foundation', 'mastery') and status = 'expired';

-- @rule paywall  The {tier} subscription is switched off: its status is inactive.
-- @advice Compare it with what the store says: `user show {email}`
tier in ('foundation', 'mastery') and status = 'inactive';

-- @rule paywall  The app knows no tier {tier} with the status {status}, and what it does not know stays closed.
-- @advice Hand it to engineering.
true;


-- ---- Quotas ---------------------------------------------------------------------------------------------------------------------

-- @quota impulses
select id, used, "limit", period, resets_at from usage where name = 'impulses' and applies;

-- @quota check-ins
select id, used, "limit", period, resets_at from usage where name = 'check-ins' and applies;

-- @decision create-impulse  May this user create an impulse now?
-- @assume tier: trial | partner | foundation | mastery
select u.*, q.used, q."limit", q.period, q.resets_at, q.reset_due
  from users u
  left join usage q on q.id = u.id and q.name = 'impulses' and q.tier = coalesce(:tier, u.tier);

-- @rule paywall  The app is closed to this user, so nothing can be created.
-- @advice Resolve the access first: `user why {email}`
(has_profile and (tier = 'trial' and status = 'active' and trial_ends_at > :now
                  or tier = 'partner' and status = 'active' and is_partner
                  or tier in ('foundation', 'mastery') and status = 'active'
                  or tier in ('foundation', 'mastery') and status = 'cancelled' and subscription_end_date > :now)) is not true;

-- @rule undefined  No impulse limit is configured for the {tier} tier.
-- @advice See what is configured: `quota show`
"limit" is null;

-- @rule quota-exceeded  The {tier} tier includes no impulses at all.
-- @advice See what is configured: `quota show`
"limit" = 0;

-- @rule allowed  None of {limit} impulses is used: the last month ended at {resets_at}, and the next impulse begins a new one.
reset_due;

-- @rule allowed  {used} of {limit} impulses are used; the month starts over at {resets_at}.
used < "limit" and resets_at is not null;

-- @rule allowed  {used} of {limit} impulses are used, and they are all there are: the {tier} tier counts in total, not by the month.
used < "limit" and period = 'total';

-- @rule allowed  {used} of {limit} impulses are used; no date is recorded at which the month starts over.
used < "limit";

-- @rule quota-exceeded  All {limit} impulses of this month are used; the next ones come at {resets_at}. The app offers an upgrade.
-- @advice The app answers IMPULSE_QUOTA_EXCEEDED and nothing is broken: the user waits or upgrades.
-- @advice What the largest tier would change: `user why {email} --assume tier=mastery`
resets_at is not null;

-- @rule quota-exceeded  All {limit} impulses of the {tier} tier are used, and no more will come. The app offers an upgrade.
-- @advice The app answers IMPULSE_QUOTA_EXCEEDED and nothing is broken: to go on, the user subscribes.
-- @advice What a subscription would change: `user why {email} --assume tier=foundation`
period = 'total';

-- @rule quota-exceeded  All {limit} impulses of this month are used, and no date is recorded at which the month starts over.
-- @advice Without a date it never does; hand it to an admin.
true;

-- @decision create-check-in  May this user create a check-in now?
-- @assume tier: trial | partner | foundation | mastery
select u.*, q.used, q."limit", q.period, q.resets_at, q.reset_due
  from users u
  left join usage q on q.id = u.id and q.name = 'check-ins' and q.tier = coalesce(:tier, u.tier);

-- @rule paywall  The app is closed to this user, so nothing can be created.
-- @advice Resolve the access first: `user why {email}`
(has_profile and (tier = 'trial' and status = 'active' and trial_ends_at > :now
                  or tier = 'partner' and status = 'active' and is_partner
                  or tier in ('foundation', 'mastery') and status = 'active'
                  or tier in ('foundation', 'mastery') and status = 'cancelled' and subscription_end_date > :now)) is not true;

-- @rule undefined  No check-in limit is configured for the {tier} tier.
-- @advice See what is configured: `quota show`
"limit" is null;

-- @rule quota-exceeded  The {tier} tier includes no check-ins at all.
-- @advice See what is configured: `quota show`
"limit" = 0;

-- @rule allowed  None of {limit} check-ins is used: the last month ended at {resets_at}, and the next check-in begins a new one.
reset_due;

-- @rule allowed  {used} of {limit} check-ins are used; the month starts over at {resets_at}.
used < "limit" and resets_at is not null;

-- @rule allowed  {used} of {limit} check-ins are used, and they are all there are: the {tier} tier counts in total, not by the month.
used < "limit" and period = 'total';

-- @rule allowed  {used} of {limit} check-ins are used; no date is recorded at which the month starts over.
used < "limit";

-- @rule quota-exceeded  All {limit} check-ins of this month are used; the next ones come at {resets_at}. The app offers an upgrade.
-- @advice The app answers IMPULSE_QUOTA_EXCEEDED and nothing is broken: the user waits or upgrades.
-- @advice What the largest tier would change: `user why {email} --assume tier=mastery`
resets_at is not null;

-- @rule quota-exceeded  All {limit} check-ins of the {tier} tier are used, and no more will come. The app offers an upgrade.
-- @advice The app answers IMPULSE_QUOTA_EXCEEDED and nothing is broken: to go on, the user subscribes.
-- @advice What a subscription would change: `user why {email} --assume tier=foundation`
period = 'total';

-- @rule quota-exceeded  All {limit} check-ins of this month are used, and no date is recorded at which the month starts over.
-- @advice Without a date it never does; hand it to an admin.
true;


-- ---- What support sees ----------------------------------------------------------------------------------------------------------

-- @panel Profile
select p.subscription_tier as tier, p.subscription_status as status, p.trial_started_at, p.trial_ends_at, p.trial_converted,
       p.subscription_end_date, p.subscription_cancelled_at, p.is_partner, p.partner_source,
       p.email, p.notification_email, p.auth_provider, p.created_at, p.updated_at
  from public.profiles p
 where p.id = :user;

-- @panel Store subscription
select s.platform, s.platform_product_id as product, s.status, s.expires_date, s.auto_renew_enabled as renews, s.original_transaction_id,
       s.created_at as since
  from public.iap_subscriptions s
 where s.user_id = :user
 order by s.expires_date desc nulls last;

-- @panel Transactions
-- @limit 12
select t.purchased_at, t.kind, t.platform_product_id as product, t.amount, t.currency, t.expires_date as paid_until, t.environment,
       t.transaction_id
  from public.iap_transactions t
 where t.user_id = :user
 order by t.purchased_at desc;

-- @panel Store webhooks
-- @limit 20
select e.received_at, e.event_type, e.environment, e.happened_at, e.processed_at, e.event_id
  from event e
 where e.user_id = :user
 order by e.received_at desc;

-- @timeline account
select a.created_at as at, 'account' as kind, 'signed up' as title, concat_ws(', ', a.email, a.raw_app_meta_data ->> 'provider') as detail
  from auth.users a
 where a.id = :user
 union all
select d.at, 'account', d.title, d.detail
  from public.profiles p
 cross join lateral (values (p.created_at, 'profile created', p.email),
                            (p.trial_started_at, 'trial started', null),
                            (p.trial_ends_at, 'trial ended', null),
                            (p.subscription_cancelled_at, 'subscription cancelled', null),
                            (p.subscription_end_date, 'paid time ended', null)) as d (at, title, detail)
 where p.id = :user and d.at <= :now;

-- @timeline store
select e.received_at as at, 'webhook' as kind, e.event_type as title,
       concat_ws(', ', e.environment, e.product, case when e.processed_at is null then 'not processed' end, e.event_id) as detail
  from event e
 where e.user_id = :user;

-- @timeline payment
select t.purchased_at as at, 'payment' as kind, concat_ws(' ', t.kind, t.amount, t.currency) as title,
       concat_ws(', ', t.platform_product_id, t.platform, t.environment, t.transaction_id) as detail
  from public.iap_transactions t
 where t.user_id = :user;

-- @timeline content
select max(c.at) as at, 'content' as kind, count(*) || ' ' || case when count(*) = 1 then c.one else c.many end as title,
       'on ' || to_char(c.day, 'YYYY-MM-DD') as detail
  from (select i.created_at, 'impulse', 'impulses' from public.impulses i where i.user_id = :user
         union all
        select k.created_at, 'check-in', 'check-ins' from public.check_ins k where k.user_id = :user) as w (at, one, many)
 cross join lateral (select w.*, date_trunc('day', w.at at time zone 'UTC') as day) as c
 group by c.day, c.one, c.many;
