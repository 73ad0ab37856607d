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
