-- Who has access to Impulse AI, and who may create what.

-- @example signed-up  A sign-in whose trigger made the profile: a trial that runs.
-- @user ada@example.com
-- @do  Somebody signs up.
insert into auth.users (id, email, created_at, raw_app_meta_data, raw_user_meta_data)
values ('00000000-0000-4000-8000-000000000001', 'ada@example.com', :now, '{"provider": "apple"}', '{"full_name": "Ada"}');
-- @expect access active
-- @expect create-impulse allowed
-- @expect create-check-in allowed

-- @example no-profile  The trigger did not run.
-- @from signed-up
-- @do
delete from public.profiles;
-- @expect access paywall
-- @expect create-impulse paywall

-- @example trial-over  The date counts, not the mark.
-- @from signed-up
-- @do
update public.profiles set trial_ends_at = :now - interval '1 second';
-- @expect access paywall

-- @example trial-undated  Without an end a trial stays closed.
-- @from signed-up
-- @do
update public.profiles set trial_ends_at = null;
-- @expect access paywall

-- @example partner  Tier and flag.
-- @from signed-up
-- @do
update public.profiles set subscription_tier = 'partner', is_partner = true;
-- @expect access active

-- @example half-partner  The tier without the flag.
-- @from partner
-- @do
update public.profiles set is_partner = false;
-- @expect access paywall

-- @example paying  A month of foundation.
-- @from signed-up
-- @do
update public.profiles set subscription_tier = 'foundation', subscription_end_date = :now + interval '1 month';
-- @expect access active

-- @example late  The period is over, and the store has not said so.
-- @from paying
-- @do
update public.profiles set subscription_end_date = :now - interval '1 day';
-- @expect access active

-- @example cancelled  Cancelled, with paid days left.
-- @from paying
-- @do
update public.profiles set subscription_status = 'cancelled';
-- @expect access active

-- @example ended  Cancelled, and nothing is left.
-- @from cancelled
-- @do
update public.profiles set subscription_end_date = :now;
-- @expect access paywall
-- @expect create-check-in paywall

-- @example used-up  All impulses of the trial, and no check-in.
-- @from signed-up
-- @do
insert into public.impulse_quota (user_id, impulses_used, check_ins_used)
select p.id, c.impulse_limit, 0
  from public.profiles p
  join public.subscription_config c on c.tier = p.subscription_tier
    on conflict (user_id) do update set impulses_used = excluded.impulses_used;
-- @expect create-impulse quota-exceeded
-- @expect create-check-in allowed

-- @example unknown-month  All of the month, and no date for the next.
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

-- @example month-used-up  All of the month, until a date.
-- @from unknown-month
-- @do
update public.impulse_quota set resets_at = :now + interval '1 day';
-- @expect create-impulse quota-exceeded
-- @expect create-check-in quota-exceeded

-- @example month-over  The month is over, and the next one begins with the next.
-- @from unknown-month
-- @do
update public.impulse_quota set resets_at = :now;
-- @expect create-impulse allowed
-- @expect create-check-in allowed

-- @example month-runs  Some of the month.
-- @from month-used-up
-- @do
update public.impulse_quota set impulses_used = 1, check_ins_used = 1;
-- @expect create-impulse allowed
-- @expect create-check-in allowed

-- @example month-undated  Some of a month without an end.
-- @from month-runs
-- @do
update public.impulse_quota set resets_at = null;
-- @expect create-impulse allowed
-- @expect create-check-in allowed

-- @example trial-used-up  All that the trial includes.
-- @from used-up
-- @do
update public.impulse_quota q set check_ins_used = c.check_in_limit
  from public.profiles p
  join public.subscription_config c on c.tier = p.subscription_tier
 where p.id = q.user_id;
-- @expect create-impulse quota-exceeded
-- @expect create-check-in quota-exceeded

-- @example none-included  A tier that includes nothing.
-- @from paying
-- @do
update public.subscription_config set impulse_limit = 0, check_in_limit = 0;
-- @expect create-impulse quota-exceeded
-- @expect create-check-in quota-exceeded

-- @example unconfigured  A tier nobody configured.
-- @from paying
-- @do
delete from public.subscription_config;
-- @expect create-impulse undefined
-- @expect create-check-in undefined

-- @example undated  Pays, and no period is recorded.
-- @from paying
-- @do
update public.profiles set subscription_end_date = null;
-- @expect access active

-- @example trial-expired  Over, and marked so.
-- @from trial-over
-- @do
update public.profiles set subscription_status = 'expired';
-- @expect access paywall

-- @example trial-cut  Marked expired before its date.
-- @from signed-up
-- @do
update public.profiles set subscription_status = 'expired', trial_ends_at = :now + interval '1 day';
-- @expect access paywall

-- @example trial-expired-undated  Marked expired, and nobody knows when it ended.
-- @from trial-expired
-- @do
update public.profiles set trial_ends_at = null;
-- @expect access paywall

-- @example trial-off  Switched off.
-- @from signed-up
-- @do
update public.profiles set subscription_status = 'inactive';
-- @expect access paywall

-- @example trial-cancelled  A trial cannot be, and ends.
-- @from signed-up
-- @do
update public.profiles set subscription_status = 'cancelled';
-- @expect access paywall

-- @example partner-ended  The partnership is over.
-- @from partner
-- @do
update public.profiles set subscription_status = 'expired';
-- @expect access paywall

-- @example partner-cancelled  A partnership cannot be cancelled.
-- @from partner
-- @do
update public.profiles set subscription_status = 'cancelled';
-- @expect access paywall

-- @example cancelled-undated  Cancelled, and no end is recorded.
-- @from undated
-- @do
update public.profiles set subscription_status = 'cancelled';
-- @expect access paywall

-- @example expired  The store said so.
-- @from late
-- @do
update public.profiles set subscription_status = 'expired';
-- @expect access paywall

-- @example refunded  Before the end of what was paid.
-- @from paying
-- @do
update public.profiles set subscription_status = 'expired';
-- @expect access paywall

-- @example expired-undated  The store said so, without a date.
-- @from undated
-- @do
update public.profiles set subscription_status = 'expired';
-- @expect access paywall

-- @example switched-off  A subscription that is inactive.
-- @from paying
-- @do
update public.profiles set subscription_status = 'inactive';
-- @expect access paywall

-- @example paid-and-waiting  Paid after the trial, and nobody processed what the store sent.
-- @from trial-over
-- @do
insert into public.iap_webhook_events (event_id, event_type, environment, user_id, payload)
values ('e1', 'SUBSCRIBED', 'production', '00000000-0000-4000-8000-000000000001', '{}');
-- @expect access paywall

-- @example paid-again-and-waiting  Came back after the paid time, and nobody processed what the store sent.
-- @from ended
-- @do
insert into public.iap_webhook_events (event_id, event_type, environment, user_id, payload)
values ('e1', 'SUBSCRIBED', 'production', '00000000-0000-4000-8000-000000000001', '{}');
-- @expect access paywall

-- @example late-and-waiting  The period is over, and a renewal waits.
-- @from late
-- @do
insert into public.iap_webhook_events (event_id, event_type, environment, user_id, payload)
values ('e1', 'DID_RENEW', 'production', '00000000-0000-4000-8000-000000000001', '{}');
-- @expect access active

-- @example payment-failed  The last payment failed, and the store tries again.
-- @from paying
-- @do
insert into public.iap_subscriptions (user_id, platform, platform_product_id, original_transaction_id, status, expires_date)
values ('00000000-0000-4000-8000-000000000001', 'ios', 'im.foundation.monthly', 't1', 'billing_retry', :now - interval '1 day');
-- @expect access active

-- @example in-grace  The last payment failed, and the store allows some days.
-- @from payment-failed
-- @do
update public.iap_subscriptions set status = 'grace_period';
-- @expect access active

-- @example store-over  The profile is active, and the store's subscription is over.
-- @from payment-failed
-- @do
update public.iap_subscriptions set status = 'expired';
-- @expect access active

-- @example store-runs  The store's subscription runs, and the profile says expired.
-- @from expired
-- @do
insert into public.iap_subscriptions (user_id, platform, platform_product_id, original_transaction_id, status, expires_date)
values ('00000000-0000-4000-8000-000000000001', 'ios', 'im.foundation.monthly', 't1', 'active', :now + interval '1 month');
-- @expect access paywall

-- @example store-runs-for-a-trial  The store's subscription runs, and the profile says trial.
-- @from store-runs
-- @do
update public.profiles set subscription_tier = 'trial';
-- @expect access paywall

-- @example store-runs-for-a-partner  The store's subscription runs, and the partnership has ended.
-- @from store-runs
-- @do
update public.profiles set subscription_tier = 'partner';
-- @expect access paywall

-- @example partner-until  A partner until a date.
-- @from partner
-- @do
update public.profiles set subscription_end_date = :now + interval '1 day';
-- @expect access active

-- @example partner-past-the-date  The date has passed, and nobody has ended the partnership.
-- @from partner
-- @do
update public.profiles set subscription_end_date = :now;
-- @expect access active
