-- What the profile lacks, where the app sends whom, and how far a purchase is.

-- @example signed-in  A sign-in, and nothing else.
-- @user ada@example.com
-- @do
insert into auth.users (id, email, created_at) values ('00000000-0000-4000-8000-000000000001', 'ada@example.com', :now);
-- @expect profile no-profile

-- @example profile-only  A profile without the rows that belong to it.
-- @from signed-in
-- @do
insert into public.users (id, email) select a.id, a.email from auth.users a;
-- @expect profile incomplete

-- @example no-tracker  All but the first day.
-- @from profile-only
-- @do
insert into public.user_levels (user_id) select u.id from public.users u;
-- @do
insert into public.category_progress (user_id, name) select u.id, c.name from public.users u cross join category c;
-- @expect profile incomplete

-- @example complete  Everything is there.
-- @from no-tracker
-- @do
insert into public.daily_xp_tracker (user_id, date) select u.id, date '2026-01-01' from public.users u;
-- @expect profile complete
-- @expect route unknown
-- @expect paywall unknown
-- @expect purchase unknown

-- @example just-subscribed  The flag on the phone goes before everything.
-- @from complete
-- @assume just_subscribed=true
-- @assume session=false
-- @expect route tabs
-- @expect paywall not-shown

-- @example first-launch  Nobody was ever signed in.
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

-- @example paywall-seen  The paywall came up before, and that is enough to know.
-- @from complete
-- @assume has_shown_paywall=true
-- @expect paywall not-shown

-- @example launched-before  Signed out, on a screen of the app.
-- @from complete
-- @assume session=false
-- @assume location=elsewhere
-- @assume first_launch=false
-- @expect route login

-- @example launch-unknown  Nobody asked whether it is the first launch.
-- @from complete
-- @assume session=false
-- @assume location=create-workout
-- @expect route unknown

-- @example signing-in  Already where a session is made.
-- @from complete
-- @assume session=false
-- @assume location=login
-- @expect route stay

-- @example subscriber-at-home  A subscriber on the tabs.
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

-- @example on-the-paywall  Whoever does not pay may stay there.
-- @from complete
-- @assume session=true
-- @assume subscribed=false
-- @assume location=paywall
-- @assume has_shown_paywall=true
-- @expect route stay
-- @expect paywall not-shown

-- @example past-onboarding  With a session, onboarding is no place to be.
-- @from complete
-- @assume session=true
-- @assume subscribed=false
-- @assume location=onboarding
-- @assume has_shown_paywall=false
-- @expect route login
-- @expect paywall shown

-- @example not-paying  On the tabs without a subscription.
-- @from complete
-- @assume session=true
-- @assume subscribed=false
-- @assume location=tabs
-- @expect route login
-- @expect paywall unknown

-- @example subscription-unknown  Signed in; nobody has asked RevenueCat.
-- @from complete
-- @assume session=true
-- @assume location=tabs
-- @expect route unknown

-- @example screen-unknown  Signed in and not subscribed, on some screen.
-- @from complete
-- @assume session=true
-- @assume subscribed=false
-- @expect route unknown

-- @example entitled  RevenueCat has it.
-- @from complete
-- @assume entitled=true
-- @expect purchase verified

-- @example bought-signed-out  Bought before the sign-in.
-- @from complete
-- @assume anonymous=true
-- @expect purchase waits-for-sign-in

-- @example bought-tomorrow  A time that cannot be.
-- @from complete
-- @assume seconds=-1
-- @expect purchase unknown

-- @example half-a-second  Before the first look.
-- @from complete
-- @assume seconds=0.5
-- @expect purchase syncing

-- @example first-checks  Between the first look and the third.
-- @from complete
-- @assume seconds=1
-- @expect purchase checking

-- @example later-checks  The extended ones.
-- @from complete
-- @assume seconds=5.5
-- @expect purchase extended

-- @example last-resort  The receipt.
-- @from complete
-- @assume seconds=21.5
-- @expect purchase receipt

-- @example given-up  The phone still remembers it.
-- @from complete
-- @assume seconds=25
-- @expect purchase gave-up

-- @example forgotten  An hour later.
-- @from complete
-- @assume seconds=3600
-- @expect purchase lapsed
