-- The access of users of Impulse AI, and what they can create.

-- @example signed-up  A new login gets a profile with a running trial from the trigger.
-- @user ada@example.com
-- @do  The user signs up.
insert into auth.users (id, email, created_at, raw_app_meta_data, raw_user_meta_data)
values ('00000000-0000-4000-8000-000000000001', 'ada@example.com', :now, '{"provider": "apple"}', '{"full_name": "Ada"}');
-- @expect access active
-- @expect create-impulse allowed
-- @expect create-check-in allowed

-- @example no-profile  A login without a profile, because the trigger did not run.
-- @from signed-up
-- @do
delete from public.profiles;
-- @expect access paywall
-- @expect create-impulse paywall

-- @example trial-over  The end date of the trial has passed, although the status is active.
-- @from signed-up
-- @do
update public.profiles set trial_ends_at = :now - interval '1 second';
-- @expect access paywall

-- @example trial-undated  A trial without an end date gives no access.
-- @from signed-up
-- @do
update public.profiles set trial_ends_at = null;
-- @expect access paywall

-- @example partner  A partner has the partner tier and the partner flag.
-- @from signed-up
-- @do
update public.profiles set subscription_tier = 'partner', is_partner = true;
-- @expect access active

-- @example half-partner  A user with the partner tier but without the flag has no access.
-- @from partner
-- @do
update public.profiles set is_partner = false;
-- @expect access paywall

-- @example paying  A user pays for a month of foundation.
-- @from signed-up
-- @do
update public.profiles set subscription_tier = 'foundation', subscription_end_date = :now + interval '1 month';
-- @expect access active

-- @example late  The period is over, but the store has not ended the subscription.
-- @from paying
-- @do
update public.profiles set subscription_end_date = :now - interval '1 day';
-- @expect access active

-- @example cancelled  A cancelled subscription has paid days left.
-- @from paying
-- @do
update public.profiles set subscription_status = 'cancelled';
-- @expect access active

-- @example ended  A cancelled subscription has no paid days left.
-- @from cancelled
-- @do
update public.profiles set subscription_end_date = :now;
-- @expect access paywall
-- @expect create-check-in paywall

-- @example used-up  The user used all impulses of the trial, and no check-in.
-- @from signed-up
-- @do
insert into public.impulse_quota (user_id, impulses_used, check_ins_used)
select p.id, c.impulse_limit, 0
  from public.profiles p
  join public.subscription_config c on c.tier = p.subscription_tier
    on conflict (user_id) do update set impulses_used = excluded.impulses_used;
-- @expect create-impulse quota-exceeded
-- @expect create-check-in allowed

-- @example unknown-month  The user used everything, and the next month has no date.
-- @from paying
-- @do
insert into public.impulse_quota (user_id, impulses_used, check_ins_used)
select p.id, c.impulse_limit, c.check_in_limit
  from public.profiles p
  join public.subscription_config c on c.tier = p.subscription_tier
    on conflict (user_id) do update set impulses_used = excluded.impulses_used, check_ins_used = excluded.check_ins_used;
-- @do
update public.impulse_quota set resets_at = null;
-- @expect create-impulse quota-exceeded
-- @expect create-check-in quota-exceeded

-- @example month-used-up  The user used everything, and the next month begins tomorrow.
-- @from unknown-month
-- @do
update public.impulse_quota set resets_at = :now + interval '1 day';
-- @expect create-impulse quota-exceeded
-- @expect create-check-in quota-exceeded

-- @example month-over  The month is over, so the next impulse starts a new month.
-- @from unknown-month
-- @do
update public.impulse_quota set resets_at = :now;
-- @expect create-impulse allowed
-- @expect create-check-in allowed

-- @example month-runs  The user used a part of the month's limit.
-- @from month-used-up
-- @do
update public.impulse_quota set impulses_used = 1, check_ins_used = 1;
-- @expect create-impulse allowed
-- @expect create-check-in allowed

-- @example month-undated  The user used a part of the limit, and the month has no end date.
-- @from month-runs
-- @do
update public.impulse_quota set resets_at = null;
-- @expect create-impulse allowed
-- @expect create-check-in allowed

-- @example trial-used-up  The user used all impulses and check-ins of the trial.
-- @from used-up
-- @do
update public.impulse_quota q set check_ins_used = c.check_in_limit
  from public.profiles p
  join public.subscription_config c on c.tier = p.subscription_tier
 where p.id = q.user_id;
-- @expect create-impulse quota-exceeded
-- @expect create-check-in quota-exceeded

-- @example none-included  The tier has a limit of 0.
-- @from paying
-- @do
update public.subscription_config set impulse_limit = 0, check_in_limit = 0;
-- @expect create-impulse quota-exceeded
-- @expect create-check-in quota-exceeded

-- @example unconfigured  The tier has no configured limit.
-- @from paying
-- @do
delete from public.subscription_config;
-- @expect create-impulse undefined
-- @expect create-check-in undefined

-- @example undated  A paying user has no recorded end of the period.
-- @from paying
-- @do
update public.profiles set subscription_end_date = null;
-- @expect access active

-- @example trial-expired  The trial is over, and its status is expired.
-- @from trial-over
-- @do
update public.profiles set subscription_status = 'expired';
-- @expect access paywall

-- @example trial-cut  The trial is marked as expired before its end date.
-- @from signed-up
-- @do
update public.profiles set subscription_status = 'expired', trial_ends_at = :now + interval '1 day';
-- @expect access paywall

-- @example trial-expired-undated  The trial is marked as expired and has no end date.
-- @from trial-expired
-- @do
update public.profiles set trial_ends_at = null;
-- @expect access paywall

-- @example trial-off  The status of the trial is inactive.
-- @from signed-up
-- @do
update public.profiles set subscription_status = 'inactive';
-- @expect access paywall

-- @example trial-cancelled  A cancelled trial ends at once.
-- @from signed-up
-- @do
update public.profiles set subscription_status = 'cancelled';
-- @expect access paywall

-- @example partner-ended  The status of the partner tier is expired.
-- @from partner
-- @do
update public.profiles set subscription_status = 'expired';
-- @expect access paywall

-- @example partner-cancelled  A cancelled partner tier gives no access.
-- @from partner
-- @do
update public.profiles set subscription_status = 'cancelled';
-- @expect access paywall

-- @example cancelled-undated  A cancelled subscription has no recorded end.
-- @from undated
-- @do
update public.profiles set subscription_status = 'cancelled';
-- @expect access paywall

-- @example expired  The store reported that the subscription expired.
-- @from late
-- @do
update public.profiles set subscription_status = 'expired';
-- @expect access paywall

-- @example refunded  The subscription expired before the end of the paid time.
-- @from paying
-- @do
update public.profiles set subscription_status = 'expired';
-- @expect access paywall

-- @example expired-undated  The subscription expired, and no end date is recorded.
-- @from undated
-- @do
update public.profiles set subscription_status = 'expired';
-- @expect access paywall

-- @example switched-off  The status of the subscription is inactive.
-- @from paying
-- @do
update public.profiles set subscription_status = 'inactive';
-- @expect access paywall

-- @example paid-and-waiting  The user paid after the trial, but the purchase is not processed.
-- @from trial-over
-- @do
insert into public.iap_webhook_events (event_id, event_type, environment, user_id, payload)
values ('e1', 'SUBSCRIBED', 'production', '00000000-0000-4000-8000-000000000001', '{}');
-- @expect access paywall

-- @example paid-again-and-waiting  The user paid again after the paid time, but the purchase is not processed.
-- @from ended
-- @do
insert into public.iap_webhook_events (event_id, event_type, environment, user_id, payload)
values ('e1', 'SUBSCRIBED', 'production', '00000000-0000-4000-8000-000000000001', '{}');
-- @expect access paywall

-- @example late-and-waiting  The period is over, and a renewal is not processed yet.
-- @from late
-- @do
insert into public.iap_webhook_events (event_id, event_type, environment, user_id, payload)
values ('e1', 'DID_RENEW', 'production', '00000000-0000-4000-8000-000000000001', '{}');
-- @expect access active

-- @example payment-failed  The last payment failed, and the store tries to charge again.
-- @from paying
-- @do
insert into public.iap_subscriptions (user_id, platform, platform_product_id, original_transaction_id, status, expires_date)
values ('00000000-0000-4000-8000-000000000001', 'ios', 'im.foundation.monthly', 't1', 'billing_retry', :now - interval '1 day');
-- @expect access active

-- @example in-grace  The last payment failed, and the store gives a grace period.
-- @from payment-failed
-- @do
update public.iap_subscriptions set status = 'grace_period';
-- @expect access active

-- @example store-over  The profile is active, but the store subscription is expired.
-- @from payment-failed
-- @do
update public.iap_subscriptions set status = 'expired';
-- @expect access active

-- @example store-runs  The store subscription is running, but the profile is expired.
-- @from expired
-- @do
insert into public.iap_subscriptions (user_id, platform, platform_product_id, original_transaction_id, status, expires_date)
values ('00000000-0000-4000-8000-000000000001', 'ios', 'im.foundation.monthly', 't1', 'active', :now + interval '1 month');
-- @expect access paywall

-- @example store-runs-for-a-trial  The store subscription is running, but the profile has an expired trial.
-- @from store-runs
-- @do
update public.profiles set subscription_tier = 'trial';
-- @expect access paywall

-- @example store-runs-for-a-partner  The store subscription is running, and the partner tier is expired.
-- @from store-runs
-- @do
update public.profiles set subscription_tier = 'partner';
-- @expect access paywall

-- @example partner-until  A partner has a future end date.
-- @from partner
-- @do
update public.profiles set subscription_end_date = :now + interval '1 day';
-- @expect access active

-- @example partner-past-the-date  The end date of a partner has passed, but the partner tier is active.
-- @from partner
-- @do
update public.profiles set subscription_end_date = :now;
-- @expect access active
