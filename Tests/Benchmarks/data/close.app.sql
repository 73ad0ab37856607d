-- An action that ends trials of Impulse AI, without refusals and expectations.

-- @app close  Closing
-- @requires public.profiles.trial_ends_at

-- @users
-- @key id
-- @email email
select p.id, p.email, p.subscription_tier as tier, p.subscription_status as status, p.trial_ends_at from public.profiles p;
-- @select due  Trials that have ended and are still marked active.
tier = 'trial' and status = 'active' and trial_ends_at <= :now;

-- @action trial close  End the due trials.
-- @select due
-- @do
update public.profiles set subscription_status = 'expired', trial_ends_at = least(trial_ends_at, :now) where id = any(:users);
