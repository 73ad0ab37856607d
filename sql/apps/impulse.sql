-- Impulse AI. The decision access explains whether a user can use the app or sees the paywall. Quotas limit the number of impulses
-- and check-ins.

-- @app impulse  Impulse AI
-- @requires public.profiles.subscription_tier
-- @requires public.subscription_config.impulse_limit
-- @requires public.impulse_quota.impulses_used
-- @include ./impulse/screens.sql
-- @include ./impulse/webhooks.sql
-- @include supabase

-- @elsewhere apple-order M*#* : Apple's order numbers are not in this database. Ask for the email of the account, or search for the order in App Store
--    Connect.
-- @link Apple https://appstoreconnect.apple.com/

-- @elsewhere google-order GPA.* : Google's order numbers are not in this database. Search for the order in Google Play Console.
-- @link Google https://play.google.com/console/

-- @elsewhere hidden-email *@privaterelay.appleid.com : Apple hides the real email behind this relay email. Only the user knows the real email.

-- @users
-- @key id
-- @email email, notification_email, sign_in_email
-- @search name, email, notification_email, sign_in_email, phone
-- @columns name, email, tier, status
-- @fact tier : The current tier: trial, partner, or one of the paid tiers foundation and mastery.
-- @fact status : The status of the tier: active, cancelled, expired or inactive.
-- @fact is_partner : Yes if the partner flag is set. A partner has both the partner tier and the partner flag.
-- @fact subscription_end_date : When the paid time ends, according to the store. For a partner: when the partnership ends.
-- @fact sign_in_email : The email of the login, which can differ from the email in the profile.
-- @fact updated_at : When the profile last changed.
-- @fact has_profile : Yes if sign-up created the profile. Without a profile the user has no tier.
select a.id, a.raw_user_meta_data ->> 'full_name' as name, coalesce(p.email, a.email) as email, a.email as sign_in_email, a.phone, p.notification_email, p.auth_provider,
       p.subscription_tier as tier, p.subscription_status as status, p.is_partner, p.partner_source,
       p.trial_started_at, p.trial_ends_at, p.trial_converted, p.subscription_end_date, p.subscription_cancelled_at,
       p.id is not null as has_profile, a.created_at, p.updated_at, a.last_sign_in_at
  from auth.users a left join public.profiles p on p.id = a.id;

-- @select due  Trials that have ended and are still marked active.
tier = 'trial' and status = 'active' and trial_ends_at <= :now;
-- @select partners  Partners with access.
tier = 'partner' and status = 'active' and is_partner;
-- @select ended  Partners who still have access after their end date.
tier = 'partner' and status = 'active' and is_partner and subscription_end_date <= :now;
-- @select paying  Active paid subscriptions.
tier in ('foundation', 'mastery') and status = 'active';
-- @select leaving  Cancelled subscriptions with paid days left.
tier in ('foundation', 'mastery') and status = 'cancelled' and subscription_end_date > :now;

-- @refuse no-profile  This user has no profile; create the profile first with `user repair`.
has_profile is not true;
-- @refuse no-trial  The tier of this user is {tier}, not trial.
tier <> 'trial';
-- @refuse not-paid  The {tier} tier is not a paid tier. A paid tier begins when the store reports a purchase.
tier in ('trial', 'partner');
-- @warn still-charged  The store keeps charging this user. Only the user can cancel the subscription, in the store.
exists (select from public.iap_subscriptions s where s.user_id = facts.id and s.auto_renew_enabled and s.status <> 'expired');

-- ---- Access ---------------------------------------------------------------------------------------------------------------------
-- @screen waiting  A store event that is not processed yet.
-- @advice Process the event: `event replay {waiting}`

-- @screen sync  The store subscription is running, but the profile shows something else.
-- @advice Copy status and end date from the store subscription to the profile: `subscription sync {email}`
-- @advice The user must not subscribe again: the store would charge twice.

-- @define running (user_id, status, until, renews, platform, product)  The best store subscription that gives a user access.
select distinct on (s.user_id) s.user_id, s.status, s.expires_date, s.auto_renew_enabled, s.platform, s.platform_product_id
  from public.iap_subscriptions s
 where s.status <> 'expired' and (s.auto_renew_enabled or s.expires_date > :now)
 order by s.user_id, s.status = 'active' desc, s.expires_date desc nulls last, s.original_transaction_id;

-- @screen subscribe  The app works as it should.
-- @advice The user can subscribe in the app; no purchase of this user waits to be processed.

-- @decision access  Does the app let this user in?
-- The waiting purchase and the store subscription are subqueries, so that Postgres reads them only for users who need them.
select u.*,
       (select e.event_id from purchase e where e.user_id = u.id order by e.received_at, e.event_id limit 1) as waiting,
       (select e.received_at from purchase e where e.user_id = u.id order by e.received_at, e.event_id limit 1) as waiting_since,
       (select r.status from running r where r.user_id = u.id) as store_status,
       (select r.until from running r where r.user_id = u.id) as store_until,
       (select case when r.renews then 'renews' else 'does not renew' end from running r where r.user_id = u.id) as store_renewal,
       (select max(s.expires_date) from public.iap_subscriptions s where s.user_id = u.id) as store_ended
  from users u;

-- @rule paywall  The profile is missing, or it has no tier or no status.
has_profile is not true or tier is null or status is null;
-- @because  This user has a login but no profile, so the user has no tier. The sign-up trigger did not create the profile.
-- @advice Create the profile: `user repair {email}`
-- @advice See what happened on this account: `user timeline {email}`
has_profile is not true;
-- @because  The profile has no tier or no status, so the app gives no access.
-- @advice Every profile should have a tier and a status. Forward this case to engineering.
true;

-- @rule active  The trial runs until {trial_ends_at}.
-- @advice Give more time: `trial extend {email} --days 7`
tier = 'trial' and status = 'active' and trial_ends_at > :now;

-- @rule active  This user is a partner without an end date.
tier = 'partner' and status = 'active' and is_partner;
-- @because  The partnership was granted until {subscription_end_date}. That date has passed, but the partnership is still active.
-- @advice End the partnership: `partner revoke {email}`
subscription_end_date <= :now;
-- @because  This user is a partner until {subscription_end_date}. From that date on, the check partner-ended lists this user; the app itself
--    doesn't end a partnership.
subscription_end_date > :now;
-- @because  This user is a partner without an end date.
true;

-- @rule active  This user pays for {tier}, until the store reports that the subscription has expired.
tier in ('foundation', 'mastery') and status = 'active';
-- @because  This user pays for {tier}. The period ended at {subscription_end_date}; a renewal arrived at {waiting_since} and is not processed
--    yet.
-- @advice waiting
subscription_end_date <= :now and waiting is not null;
-- @because  This user pays for {tier}, but the last payment failed. The store status is billing_retry: the store keeps trying to charge. The user keeps access until the store gives up.
-- @advice The user updates the payment method in the store. You don't have to do anything.
store_status = 'billing_retry';
-- @because  This user pays for {tier}, but the last payment failed. The store status is grace_period: the user keeps access until the store gives up.
-- @advice The user updates the payment method in the store. You don't have to do anything.
store_status = 'grace_period';
-- @because  In the profile {tier} is active, but the store subscription ended at {store_ended}. The app checks only the profile.
-- @advice Find the last store event: `user timeline {email}`
store_status is null and store_ended is not null and waiting is null;
-- @because  This user pays for {tier}; the current period runs until {subscription_end_date}.
subscription_end_date > :now;
-- @because  This user pays for {tier}. The period ended at {subscription_end_date}, but the store has not ended the subscription, and the
--    store decides.
-- @advice No renewal is waiting. See the store events: `user timeline {email}`
subscription_end_date <= :now;
-- @because  This user pays for {tier}; no end of the current period is recorded.
true;

-- @rule active  The {tier} subscription is cancelled, but the user keeps access until {subscription_end_date}, because it is paid.
-- @advice To keep access, the user turns renewal on again in the store before that date.
tier in ('foundation', 'mastery') and status = 'cancelled' and subscription_end_date > :now;

-- @rule paywall  The trial is not active: its status is {status}.
tier = 'trial';
-- @because  The user has paid: the purchase arrived at {waiting_since} but is not processed yet. Until it is processed, the app checks the trial, whose status is {status}.
-- @advice waiting
waiting is not null;
-- @because  The store status is {store_status} until {store_until}. The subscription {store_renewal}. The profile still has a trial with
--    status {status}, and the app checks the profile.
-- @advice sync
store_status is not null;
-- @because  The trial ended at {trial_ends_at}. Its status is still active, but the app checks the date.
-- @advice subscribe
-- @advice Give more time: `trial extend {email} --days 7`
status = 'active' and trial_ends_at <= :now;
-- @because  The trial is active but has no end date, so the app gives no access.
-- @advice subscribe
-- @advice Let the trial end in a week: `trial extend {email} --days 7`
status = 'active';
-- @because  The trial ended at {trial_ends_at} and has expired.
-- @advice subscribe
-- @advice Give more time: `trial extend {email} --days 7`
status = 'expired' and trial_ends_at <= :now;
-- @because  The trial would run until {trial_ends_at}, but its status is expired.
-- @advice subscribe
-- @advice Or continue the trial: `trial extend {email} --days 7`
status = 'expired' and trial_ends_at > :now;
-- @because  The status of the trial is expired; no end date is recorded.
-- @advice subscribe
-- @advice If this user was a partner, the end of the partnership left an expired trial. An admin can grant the partnership again.
status = 'expired';
-- @because  The trial is switched off: its status is inactive. The end date does not matter.
-- @advice subscribe
-- @advice Or start a new trial: `trial start {email}`
status = 'inactive';
-- @because  The trial is marked cancelled. A cancelled subscription continues until its end date, but a cancelled trial ends at once.
-- @advice subscribe
-- @advice Or start a new trial: `trial start {email}`
status = 'cancelled';

-- @rule paywall  This user lacks the tier partner, the status active or the partner flag.
tier = 'partner';
-- @because  The tier is partner, but the partner flag is not set. The app needs both the tier and the flag.
-- @advice If the user is a partner, set the tier and the flag: `partner grant {email} --source {partner_source}`
-- @advice If the user is not a partner, clear the tier and the flag: `partner revoke {email}`
status = 'active';
-- @because  The store status is {store_status} until {store_until}. The subscription {store_renewal}. The profile has {tier} with status
--    {status}, and the app checks the profile.
-- @advice sync
store_status is not null;
-- @because  The partnership has ended: the status of the partner tier is {status}.
-- @advice Make the user a partner again: `partner grant {email} --source {partner_source}`
-- @advice Otherwise the user can subscribe in the app.
status in ('expired', 'inactive');
-- @because  The partner tier is marked cancelled. Only a paid subscription continues after it is cancelled.
-- @advice If the user is still a partner: `partner grant {email} --source {partner_source}`
-- @advice If the user is no longer a partner: `partner revoke {email}`
status = 'cancelled';

-- @rule paywall  The {tier} subscription has ended: its status is {status}.
tier in ('foundation', 'mastery');
-- @because  The user has paid again: the purchase arrived at {waiting_since} but is not processed yet. Until it is processed, the app checks the {tier} subscription, whose status is {status}.
-- @advice waiting
waiting is not null;
-- @because  The store status is {store_status} until {store_until}. The subscription {store_renewal}. The profile has {tier} with status
--    {status}, and the app checks the profile.
-- @advice sync
store_status is not null;
-- @because  The {tier} subscription was cancelled, and the paid time ended at {subscription_end_date}.
-- @advice Only the store can renew the subscription: the user subscribes again in the app.
status = 'cancelled' and subscription_end_date <= :now;
-- @because  The {tier} subscription is cancelled. No end of the paid time is recorded, so the app treats the paid time as over.
-- @advice Copy the end date from the store subscription: `subscription cancel {email}`
status = 'cancelled';
-- @because  The {tier} subscription has expired; the paid time ended at {subscription_end_date}.
-- @advice Only the store can renew the subscription: the user subscribes again in the app.
-- @advice If the user has paid since then, the purchase has not arrived. Ask the user to restore the purchase in the app: the store then sends the event again.
status = 'expired' and subscription_end_date <= :now;
-- @because  The {tier} subscription ended before the end of its paid time, {subscription_end_date}. This happens after a refund.
-- @advice Search for the refund: `user timeline {email}`
status = 'expired' and subscription_end_date > :now;
-- @because  The {tier} subscription has expired; no end of the paid time is recorded.
-- @advice Find the last store event: `user timeline {email}`
status = 'expired';
-- @because  The {tier} subscription is switched off: its status is inactive.
-- @advice Compare the status with the store subscription: `user show {email}`
status = 'inactive';

-- @rule paywall  The app doesn't know the tier {tier} with the status {status}, so the app gives no access.
-- @advice Forward this case to engineering.
true;
-- ---- Quotas ---------------------------------------------------------------------------------------------------------------------
-- @decision create-impulse  May this user create an impulse now?
-- @assume tier: trial | partner | foundation | mastery
select u.*, 'impulses' as things, 'impulse' as thing,
       case when c.tier is not null then case when r.reset_due then 0 else coalesce(q.impulses_used, 0) end end as used,
       c.impulse_limit as "limit", c.period, r.resets_at, r.reset_due
  from users u
  left join public.subscription_config c on c.tier = coalesce(:tier, u.tier) and u.has_profile
  left join public.impulse_quota q on q.user_id = u.id
 cross join lateral (select case when c.period = 'month' then q.resets_at end as resets_at,
                            case when c.tier is not null then coalesce(c.period = 'month' and q.resets_at <= :now, false) end as reset_due) as r;

-- @rule paywall  The user has no access to the app, so they can't create anything.
-- @advice Solve the access problem first: `user why {email}`
(has_profile and (tier = 'trial' and status = 'active' and trial_ends_at > :now
                  or tier = 'partner' and status = 'active' and is_partner
                  or tier in ('foundation', 'mastery') and status = 'active'
                  or tier in ('foundation', 'mastery') and status = 'cancelled' and subscription_end_date > :now)) is not true;

-- @rule undefined  No limit is configured for the {tier} tier.
-- @advice See the limits: `settings show quota`
"limit" is null;

-- @rule quota-exceeded  The {tier} tier doesn't include {things}.
-- @advice See the limits: `settings show quota`
"limit" = 0;

-- @rule allowed  {used} of {limit} {things} are used.
reset_due or used < "limit";
-- @because  0 of {limit} {things} are used. The last month ended at {resets_at}; the next {thing} starts a new month.
reset_due;
-- @because  {used} of {limit} {things} are used; the next month starts at {resets_at}.
resets_at is not null;
-- @because  {used} of {limit} {things} are used. The {tier} tier has a total limit, which is never reset.
period = 'total';
-- @because  {used} of {limit} {things} are used; no start of the next month is recorded.
true;

-- @rule quota-exceeded  All {limit} {things} are used.
true;
-- @because  All {limit} {things} of this month are used; the next month starts at {resets_at}. The app offers an upgrade.
-- @advice The app works as it should (IMPULSE_QUOTA_EXCEEDED): the user waits or upgrades.
-- @advice As a courtesy, start a new month: `quota reset {email}`
-- @advice See what the largest tier would change: `user why {email} --assume tier=mastery`
resets_at is not null;
-- @because  All {limit} {things} of the {tier} tier are used, and this limit is never reset. The app offers an upgrade.
-- @advice The app works as it should (IMPULSE_QUOTA_EXCEEDED): the user can subscribe.
-- @advice As a courtesy, reset the usage: `quota reset {email}`
-- @advice See what a subscription would change: `user why {email} --assume tier=foundation`
period = 'total';
-- @because  All {limit} {things} of this month are used; no start of the next month is recorded.
-- @advice Without a date the month never ends. Start a new month now: `quota reset {email}`
true;

-- @decision create-check-in  May this user create a check-in now?
-- @from create-impulse
select u.*, 'check-ins' as things, 'check-in' as thing,
       case when c.tier is not null then case when r.reset_due then 0 else coalesce(q.check_ins_used, 0) end end as used,
       c.check_in_limit as "limit", c.period, r.resets_at, r.reset_due
  from users u
  left join public.subscription_config c on c.tier = coalesce(:tier, u.tier) and u.has_profile
  left join public.impulse_quota q on q.user_id = u.id
 cross join lateral (select case when c.period = 'month' then q.resets_at end as resets_at,
                            case when c.tier is not null then coalesce(c.period = 'month' and q.resets_at <= :now, false) end as reset_due) as r;

-- ---- Partners -------------------------------------------------------------------------------------------------------------------
-- @action partner grant  Make a user a partner, without an end or until a date.
-- @option source: influencer | beta_tester | ambassador | marketing : Where the partner came from.
-- @option until?: timestamptz : When the partnership ends. From that date on, the check partner-ended lists the partner.
-- @grade moderate
-- @expect access active
-- @refuse The date of --until is not in the future.
:until <= :now;
-- @refuse no-profile
-- @refuse The user pays for {tier} and has to cancel the subscription in the store first.
tier in ('foundation', 'mastery') and status = 'active';
-- @warn This user has a running store subscription. The next webhook of the store would overwrite the partner tier.
exists (select from public.iap_subscriptions s where s.user_id = facts.id and s.status <> 'expired');
-- @warn This user has a store subscription, which a partner should not have. The check store-row will list this user.
exists (select from public.iap_subscriptions s where s.user_id = facts.id);
-- @do  A month of quota begins, unless the user is a partner already and a month is running.
insert into public.impulse_quota as q (user_id, resets_at)
select p.id, :now + interval '1 month' from public.profiles p
 where p.id = any(:users)
   and ((p.subscription_tier = 'partner' and p.subscription_status = 'active' and p.is_partner) is not true
        or not exists (select from public.impulse_quota k where k.user_id = p.id and k.resets_at > :now))
    on conflict (user_id) do update
   set impulses_used = 0, check_ins_used = 0, resets_at = excluded.resets_at;
-- @do  The profile gets the partner tier and the partner flag.
update public.profiles
   set subscription_tier = 'partner', subscription_status = 'active', is_partner = true, partner_source = :source,
       subscription_end_date = :until, subscription_cancelled_at = null
 where id = any(:users);

-- @action partner revoke  End the partner tier of a user, or of all due partners.
-- @select ended
-- @grade moderate
-- @expect access paywall
-- @refuse no-profile
-- @refuse The tier is {tier}, not partner. To clear a partner flag without the tier, use `partner unflag`.
tier <> 'partner';
-- @do
update public.profiles set subscription_tier = 'trial', subscription_status = 'expired', trial_ends_at = least(trial_ends_at, :now),
       is_partner = false, partner_source = null, subscription_end_date = null
 where id = any(:users);

-- @action partner unflag  Clear the partner flag of a user without the tier.
-- @role support
-- @grade mild
-- @refuse The tier is partner; end it with `partner revoke`.
tier = 'partner';
-- @do
update public.profiles set is_partner = false, partner_source = null
 where id = any(:users) and (is_partner or partner_source is not null);

-- @list partner list  List partners and their source.
-- @option source?: influencer | beta_tester | ambassador | marketing : Only partners with this source.
select u.id, u.email, u.name, u.partner_source, u.status, u.is_partner, u.created_at, u.subscription_end_date as until
  from users u where u.tier = 'partner' and (:source is null or u.partner_source = :source) order by u.partner_source, u.email, u.id;

-- ---- Trials ---------------------------------------------------------------------------------------------------------------------
-- @action trial start  Start a new trial with unused quotas.
-- @option days?: int 1..365 : The length in days. Default: the trial length of new users.
-- @grade mild
-- @expect access active
-- @refuse no-profile
-- @refuse A partner doesn't need a trial; end the partner tier first with `partner revoke`.
tier = 'partner' and status = 'active' and is_partner;
-- @refuse The user still has access through {tier}.
tier in ('foundation', 'mastery') and (status = 'active' or status = 'cancelled' and subscription_end_date > :now);
-- @refuse This user has a store subscription, so the user can't go back to a trial.
exists (select from public.iap_subscriptions s where s.user_id = facts.id);
-- @do  The trial begins now.
update public.profiles p
   set subscription_tier = 'trial', subscription_status = 'active', subscription_end_date = null, subscription_cancelled_at = null,
       trial_started_at = :now, trial_ends_at = :now + make_interval(days => coalesce(:days, c.trial_days)), trial_converted = false,
       is_partner = false, partner_source = null
  from public.subscription_config c where c.tier = 'trial' and p.id = any(:users);
-- @do  A month of quota begins.
update public.impulse_quota set impulses_used = 0, check_ins_used = 0, resets_at = null where user_id = any(:users);

-- @action trial extend  Extend a trial, from the end of the trial or from now.
-- @role support
-- @grade mild
-- @option days?: int 1..31 : The number of days to add.
-- @option until?: timestamptz : The new end of the trial, instead of --days.
-- @expect access active
-- @refuse Use either --days or --until.
num_nonnulls(:days, :until) <> 1;
-- @refuse The date of --until is not in the future.
:until <= :now;
-- @refuse A trial can be extended by at most 31 days at a time.
:until > greatest(trial_ends_at, :now) + interval '31 days';
-- @refuse no-profile
-- @refuse no-trial
-- @do
update public.profiles
   set subscription_status = 'active', trial_ends_at = coalesce(:until, greatest(trial_ends_at, :now) + make_interval(days => :days))
 where id = any(:users);

-- @action trial expire  End a trial now, or end all trials that are due.
-- @select due
-- @grade mild
-- @expect access paywall
-- @refuse no-profile
-- @refuse no-trial
-- @do
update public.profiles set subscription_status = 'expired', trial_ends_at = least(trial_ends_at, :now)
 where id = any(:users) and subscription_status <> 'expired';

-- @list trial list  List trials, sorted by end date.
-- @option ending?: interval : Only trials that end within this time, such as 7 days.
select u.id, u.email, u.name, u.status, u.trial_ends_at, floor(extract(epoch from u.trial_ends_at - :now) / 86400)::int as days_left
  from users u where u.tier = 'trial' and (:ending is null or u.trial_ends_at > :now and u.trial_ends_at <= :now + :ending)
 order by u.trial_ends_at, u.id;

-- ---- Subscriptions --------------------------------------------------------------------------------------------------------------
-- @action subscription cancel  Record a cancellation that the store did not report.
-- @option until?: timestamptz : The end of the paid time. Add it only if the stored end is missing or wrong.
-- @grade moderate
-- @expect access active
-- @refuse no-profile
-- @refuse not-paid
-- @refuse The {tier} subscription is {status}, so it can't be cancelled.
status in ('expired', 'inactive');
-- @refuse The paid time is over, or its end is not recorded. Add --until, or use `subscription expire`.
(coalesce(:until, subscription_end_date, (select max(s.expires_date) from public.iap_subscriptions s where s.user_id = facts.id))
 > :now) is not true;
-- @warn still-charged
-- @do  The subscription in the profile is cancelled. It ends at --until, else at the recorded end date, else at the end date of the store.
update public.profiles p
   set subscription_status = 'cancelled', subscription_cancelled_at = coalesce(p.subscription_cancelled_at, :now),
       subscription_end_date = coalesce(:until, p.subscription_end_date,
                                        (select max(s.expires_date) from public.iap_subscriptions s where s.user_id = p.id))
 where p.id = any(:users);
-- @do  The store subscription no longer renews.
update public.iap_subscriptions set auto_renew_enabled = false where user_id = any(:users) and auto_renew_enabled;

-- @action subscription expire  End a subscription now; the user then sees the paywall.
-- @grade moderate
-- @expect access paywall
-- @refuse no-profile
-- @refuse not-paid
-- @warn still-charged
-- @do  The subscription in the profile is expired.
update public.profiles set subscription_status = 'expired', subscription_end_date = least(subscription_end_date, :now)
 where id = any(:users) and subscription_status <> 'expired';
-- @do  The store subscription is also expired.
update public.iap_subscriptions set status = 'expired', expires_date = least(expires_date, :now), auto_renew_enabled = false
 where user_id = any(:users) and status <> 'expired';

-- @action subscription sync  Copy the store subscription to the profile of a user.
-- @role support
-- @grade moderate
-- @expect access active
-- @refuse no-profile
-- @refuse The store has no running subscription for this user.
not exists (select from running r where r.user_id = facts.id);
-- @refuse This user is a partner; a partner's access does not come from the store.
tier = 'partner' and status = 'active' and is_partner;
-- @refuse No tier has the product id of the store subscription.
not exists (select from running r join public.subscription_config c on c.product_id = r.product where r.user_id = facts.id);
-- @warn A store event is not processed yet; try `event replay` first.
exists (select from purchase e where e.user_id = facts.id);
-- @do
update public.profiles p
   set subscription_tier = c.tier, subscription_status = case when r.renews then 'active' else 'cancelled' end,
       subscription_end_date = r.until,
       subscription_cancelled_at = case when r.renews is not true then coalesce(p.subscription_cancelled_at, :now) end,
       trial_converted = true, is_partner = false, partner_source = null
  from running r join public.subscription_config c on c.product_id = r.product
 where p.id = any(:users) and r.user_id = p.id;

-- @action subscription renew  Record a renewal that the store did not report.
-- @approve admin
-- @option until: timestamptz : The new end of the paid time.
-- @grade moderate
-- @expect access active
-- @refuse The date of --until is not in the future.
:until <= :now;
-- @refuse no-profile
-- @refuse not-paid
-- @do  The subscription in the profile is active.
update public.profiles set subscription_status = 'active', subscription_end_date = :until, subscription_cancelled_at = null
 where id = any(:users);
-- @do  The store subscription is active, too.
update public.iap_subscriptions set status = 'active', expires_date = :until, auto_renew_enabled = true where user_id = any(:users);

-- @list subscription list  List subscriptions with store status, by end date.
-- @option status?: active | cancelled | expired | inactive : Only subscriptions with this status.
-- @option ending?: interval : Only subscriptions whose paid time ends within this time, such as 7 days.
select u.id, u.email, u.tier, u.status, u.subscription_end_date, s.status as store_status, s.expires_date, s.auto_renew_enabled as renews
  from users u left join public.iap_subscriptions s on s.user_id = u.id
 where u.tier in ('foundation', 'mastery') and (:status is null or u.status = :status)
   and (:ending is null or u.subscription_end_date > :now and u.subscription_end_date <= :now + :ending)
 order by u.subscription_end_date, u.id;

-- ---- Limits and usage -----------------------------------------------------------------------------------------------------------
-- @settings quota  Limits and trial length by tier. Changes take effect at once.
-- @table public.subscription_config
-- @key tier
-- @column impulse_limit: int 0..100000
-- @column check_in_limit: int 0..100000
-- @column trial_days: int 0..365
-- @impact {users} users have used all impulses of their tier.
select count(*) as users from usage where impulses >= impulse_limit;
-- @impact {users} users have used all check-ins of their tier.
select count(*) as users from usage where check_ins >= check_in_limit;

-- @action quota reset  Reset the usage of a user, and start a new month if due.
-- @role support
-- @grade mild
-- @expect create-impulse allowed
-- @expect create-check-in allowed
-- @refuse no-profile
-- @do
update public.impulse_quota q set impulses_used = 0, check_ins_used = 0,
       resets_at = case when c.period = 'month' then case when q.resets_at > :now then q.resets_at else :now + interval '1 month' end end
  from public.profiles p join public.subscription_config c on c.tier = p.subscription_tier
 where p.id = q.user_id and q.user_id = any(:users);

-- @action user repair  Create the missing profile of a user, with a new trial.
-- @role support
-- @grade moderate
-- @expect access active
-- @refuse The profile already exists.
has_profile;
-- @do
insert into public.profiles (id, email, auth_provider, trial_started_at, trial_ends_at)
select a.id, a.email, case when m.provider in ('apple', 'google') then m.provider end, :now, :now + make_interval(days => c.trial_days)
  from auth.users a
 cross join lateral (select a.raw_app_meta_data ->> 'provider' as provider) as m
  join public.subscription_config c on c.tier = 'trial'
 where a.id = any(:users)
    on conflict (id) do nothing;

-- ---- Test states ----------------------------------------------------------------------------------------------------------------
-- @state fresh-trial  The user just signed up.
-- @expect access active
-- @do  Store subscriptions are deleted.
delete from public.iap_subscriptions where user_id = any(:users);
-- @do
delete from public.iap_transactions where user_id = any(:users);
-- @do  The trial begins now.
update public.profiles p
   set subscription_tier = 'trial', subscription_status = 'active', subscription_end_date = null, subscription_cancelled_at = null,
       trial_started_at = :now, trial_ends_at = :now + make_interval(days => c.trial_days), trial_converted = false,
       is_partner = false, partner_source = null
  from public.subscription_config c where c.tier = 'trial' and p.id = any(:users);
-- @do  The usage is reset.
delete from public.impulse_quota where user_id = any(:users);

-- @state trial-expired  The trial ended a day ago.
-- @from fresh-trial
-- @expect access paywall
-- @do  The end date has passed, but the status stays active, as in the app.
update public.profiles set trial_started_at = :now - interval '8 days', trial_ends_at = :now - interval '1 day' where id = any(:users);

-- @state foundation-bought  The user just subscribed to foundation, and the usage is 0.
-- @from fresh-trial
-- @expect access active
-- @expect create-impulse allowed
-- @do  The store subscription is new.
insert into public.iap_subscriptions (user_id, platform, platform_product_id, original_transaction_id, status, expires_date)
select u.id, case when u.auth_provider = 'google' then 'android' else 'ios' end, c.product_id, 'test-' || u.id, 'active',
       :now + interval '1 month'
  from users u join public.subscription_config c on c.tier = 'foundation' where u.id = any(:users);
-- @do  The profile matches the store.
update public.profiles set subscription_tier = 'foundation', subscription_end_date = :now + interval '1 month', trial_converted = true
 where id = any(:users);
-- @do  A month of quota begins.
insert into public.impulse_quota (user_id, resets_at) select id, :now + interval '1 month' from users where id = any(:users) and has_profile;

-- @state quota-exhausted  All impulses and check-ins of the tier are used.
-- @expect create-impulse quota-exceeded
-- @expect create-check-in quota-exceeded
-- @do
insert into public.impulse_quota (user_id, impulses_used, check_ins_used, resets_at)
select id, impulse_limit, check_in_limit, case when period = 'month' then :now + interval '1 month' end from usage where id = any(:users)
    on conflict (user_id) do update
   set impulses_used = excluded.impulses_used, check_ins_used = excluded.check_ins_used, resets_at = excluded.resets_at;

-- @state cancelled-days-left  The subscription is cancelled, with a paid week left; the app shows the countdown card.
-- @from foundation-bought
-- @expect access active
-- @do  The store subscription no longer renews.
update public.iap_subscriptions set expires_date = :now + interval '7 days', auto_renew_enabled = false where user_id = any(:users);
-- @do  The profile matches the store.
update public.profiles
   set subscription_status = 'cancelled', subscription_end_date = :now + interval '7 days',
       subscription_cancelled_at = :now - interval '1 day'
 where id = any(:users);

-- @state cancelled-ended  The subscription is cancelled, and the paid time ended a day ago.
-- @from cancelled-days-left
-- @expect access paywall
-- @do  The store subscription has ended.
update public.iap_subscriptions set status = 'expired', expires_date = :now - interval '1 day' where user_id = any(:users);
-- @do  The profile matches the store.
update public.profiles set subscription_end_date = :now - interval '1 day', subscription_cancelled_at = :now - interval '8 days'
 where id = any(:users);

-- @state subscription-expired  The subscription expired in the store a day ago.
-- @from cancelled-ended
-- @expect access paywall
-- @do  The subscription was never cancelled.
update public.profiles set subscription_status = 'expired', subscription_cancelled_at = null where id = any(:users);

-- @state partner  The user is a partner from marketing.
-- @expect access active
-- @do  Store subscriptions are deleted.
delete from public.iap_subscriptions where user_id = any(:users);
-- @do
delete from public.iap_transactions where user_id = any(:users);
-- @do  The tier becomes partner, and the partner flag is set.
update public.profiles
   set subscription_tier = 'partner', subscription_status = 'active', subscription_end_date = null, subscription_cancelled_at = null,
       is_partner = true, partner_source = 'marketing'
 where id = any(:users);

-- ---- Invariants ------------------------------------------------------------------------------------------------------------------
-- @check no-profile  Every login has a profile.
-- @fix user repair
select id, email, created_at from users where has_profile is not true;

-- @check trial-overdue  No trial is active after its end.
-- @fix trial expire
select id, email, trial_ends_at from users where tier = 'trial' and status = 'active' and trial_ends_at <= :now;

-- @check partner-flag  Every user with the partner flag has the partner tier.
-- @fix partner unflag
select id, email, tier, partner_source from users where tier <> 'partner' and is_partner;

-- @check partner-tier  Every user with the partner tier has the partner flag.
select id, email, status, partner_source from users where tier = 'partner' and is_partner is not true;

-- @check store-row  No trial user and no partner has a store subscription.
select u.id, u.email, u.tier, s.status as store_status, s.expires_date
  from users u join public.iap_subscriptions s on s.user_id = u.id where u.tier in ('trial', 'partner');

-- @check paid-past-end  No active subscription is past its end.
select id, email, tier, subscription_end_date from users
 where tier in ('foundation', 'mastery') and status = 'active' and subscription_end_date <= :now;

-- @check store-against-profile  No user sees the paywall while the store subscription is running.
-- @fix subscription sync
select u.id, u.email, u.tier, u.status, r.status as store_status, r.until, r.renews
  from users u join running r on r.user_id = u.id
 where u.tier in ('foundation', 'mastery')
   and (u.status = 'active' or u.status = 'cancelled' and u.subscription_end_date > :now) is not true;

-- @check paid-twice  No user pays for two store subscriptions.
select u.id, u.email, count(*) as subscriptions, string_agg(s.platform || ' ' || s.platform_product_id, ', ' order by s.platform) as pays_for
  from public.iap_subscriptions s join users u on u.id = s.user_id
 where s.status <> 'expired' and (s.auto_renew_enabled or s.expires_date > :now)
 group by u.id, u.email
having count(*) > 1;

-- @check month-undated  Every month of quota has an end date.
-- @fix quota reset
select u.id, u.email, u.tier, q.impulses_used, q.check_ins_used
  from users u
  join public.subscription_config c on c.tier = u.tier and c.period = 'month'
  join public.impulse_quota q on q.user_id = u.id and q.resets_at is null
 where u.status = 'active' or u.status = 'cancelled' and u.subscription_end_date > :now;

-- @check partner-ended  No partner has access after the end date of the partnership.
-- @fix partner revoke
select id, email, partner_source, subscription_end_date as until from users
 where tier = 'partner' and status = 'active' and is_partner and subscription_end_date <= :now;

-- @check cancelled-undated  Every cancelled subscription has an end of the paid time.
-- @fix subscription cancel
select id, email, tier, subscription_cancelled_at from users
 where tier in ('foundation', 'mastery') and status = 'cancelled' and subscription_end_date is null;

-- ---- What an account consists of ------------------------------------------------------------------------------------------------
-- @account
-- @root auth.users.id
-- @warn The store keeps charging for {tier} after the deletion. Only the user can cancel the subscription, in the store.
exists (select from public.iap_subscriptions s where s.user_id = facts.id and s.auto_renew_enabled and s.status <> 'expired');
-- @refers public.iap_webhook_events.user_id -> public.profiles.id
-- @refers public.iap_webhook_events (payload ->> 'app_account_token') -> public.profiles.id
-- @ignore public.iap_webhook_events.event_id : The column contains the store's number of the event.
-- @keep public.iap_transactions : Accounting law requires payment records; without the user they are anonymous.
-- @set public.iap_webhook_events.user_id = null : The event stays, so that the app recognises a repeated webhook.
-- @set public.iap_webhook_events.payload = '{}' : The column contains data of the user.
-- @files avatars {id}/
-- @files exports {id}/
