-- Missing rows of the profile, the routes of the app, and the state of a purchase.

-- @example signed-in  A login has no profile and no other rows.
-- @user ada@example.com
-- @do
insert into auth.users (id, email, created_at) values ('00000000-0000-4000-8000-000000000001', 'ada@example.com', :now);
-- @expect profile no-profile

-- @example profile-only  A profile has none of its other rows.
-- @from signed-in
-- @do
insert into public.users (id, email) select a.id, a.email from auth.users a;
-- @expect profile incomplete

-- @example no-tracker  Only the row of the daily tracker is missing.
-- @from profile-only
-- @do
insert into public.user_levels (user_id) select u.id from public.users u;
-- @do
insert into public.category_progress (user_id, name) select u.id, c.name from public.users u cross join category c;
-- @expect profile incomplete

-- @example complete  The profile and all its rows exist.
-- @from no-tracker
-- @do
insert into public.daily_xp_tracker (user_id, date) select u.id, date '2026-01-01' from public.users u;
-- @expect profile complete
-- @expect route unknown
-- @expect paywall unknown
-- @expect purchase unknown

-- @example just-subscribed  The flag just_subscribed decides before all other facts.
-- @from complete
-- @assume just_subscribed=true
-- @assume session=false
-- @expect route tabs
-- @expect paywall not-shown

-- @example first-launch  No user is signed in, and the app starts for the first time.
-- @from complete
-- @assume session=false
-- @assume location=tabs
-- @assume first_launch=true
-- @expect route onboarding
-- @expect paywall unknown

-- @example anonymous-paywall  No user is signed in, and the login screen opens.
-- @from complete
-- @assume session=false
-- @assume subscribed=false
-- @assume location=login
-- @assume has_shown_paywall=false
-- @expect route stay
-- @expect paywall shown

-- @example paywall-seen  The app has already presented the paywall.
-- @from complete
-- @assume has_shown_paywall=true
-- @expect paywall not-shown

-- @example launched-before  No user is signed in, on a screen of the app, after the first launch.
-- @from complete
-- @assume session=false
-- @assume location=elsewhere
-- @assume first_launch=false
-- @expect route login

-- @example launch-unknown  No user is signed in, and the first launch is unknown.
-- @from complete
-- @assume session=false
-- @assume location=create-workout
-- @expect route unknown

-- @example signing-in  No user is signed in, and the login screen is already open.
-- @from complete
-- @assume session=false
-- @assume location=login
-- @expect route stay

-- @example subscriber-at-home  A subscriber stays on the tabs.
-- @from complete
-- @assume session=true
-- @assume subscribed=true
-- @assume location=tabs
-- @expect route stay
-- @expect paywall not-shown

-- @example subscriber-astray  A subscriber on the paywall is sent to the tabs.
-- @from complete
-- @assume session=true
-- @assume subscribed=true
-- @assume location=paywall
-- @expect route tabs

-- @example on-the-paywall  A user without a subscription stays on the paywall.
-- @from complete
-- @assume session=true
-- @assume subscribed=false
-- @assume location=paywall
-- @assume has_shown_paywall=true
-- @expect route stay
-- @expect paywall not-shown

-- @example past-onboarding  A signed-in user on the onboarding is sent to the login.
-- @from complete
-- @assume session=true
-- @assume subscribed=false
-- @assume location=onboarding
-- @assume has_shown_paywall=false
-- @expect route login
-- @expect paywall shown

-- @example not-paying  A user without a subscription is sent from the tabs to the login.
-- @from complete
-- @assume session=true
-- @assume subscribed=false
-- @assume location=tabs
-- @expect route login
-- @expect paywall unknown

-- @example subscription-unknown  A user is signed in, and the subscription is unknown.
-- @from complete
-- @assume session=true
-- @assume location=tabs
-- @expect route unknown

-- @example screen-unknown  A user is signed in and not subscribed, and the screen is unknown.
-- @from complete
-- @assume session=true
-- @assume subscribed=false
-- @expect route unknown

-- @example entitled  RevenueCat has the entitlement.
-- @from complete
-- @assume entitled=true
-- @expect purchase verified

-- @example bought-signed-out  The user bought before signing in.
-- @from complete
-- @assume anonymous=true
-- @expect purchase waits-for-sign-in

-- @example bought-tomorrow  The time of the purchase is in the future.
-- @from complete
-- @assume seconds=-1
-- @expect purchase unknown

-- @example half-a-second  The first check has not run yet.
-- @from complete
-- @assume seconds=0.5
-- @expect purchase syncing

-- @example first-checks  The first three checks are running.
-- @from complete
-- @assume seconds=1
-- @expect purchase checking

-- @example later-checks  The extended checks are running.
-- @from complete
-- @assume seconds=5.5
-- @expect purchase extended

-- @example last-resort  The app falls back to the receipt.
-- @from complete
-- @assume seconds=21.5
-- @expect purchase receipt

-- @example given-up  The app gave up, and the phone still stores the purchase.
-- @from complete
-- @assume seconds=25
-- @expect purchase gave-up

-- @example forgotten  The phone no longer stores the purchase after an hour.
-- @from complete
-- @assume seconds=3600
-- @expect purchase lapsed
