-- StrikeLab. Postgres has only the profiles and the training progress. Subscriptions are at RevenueCat, the paywall is at Superwall,
-- and the rest is on the phone. So the decisions need facts from the user or from the log of the phone.

-- @app strikelab  StrikeLab
-- @requires public.category_progress.xp
-- @requires public.daily_xp_tracker.workout_count
-- @requires public.user_levels
-- @include ./strikelab/screens.sql
-- @include supabase

-- @define category (position, name)  The training categories, in the order of the app.
values (1, 'punches'), (2, 'kicks'), (3, 'elbows'), (4, 'knees'), (5, 'footwork'), (6, 'clinch'), (7, 'defensive'), (8, 'sweeps'),
       (9, 'feints');

-- @elsewhere route : The subscription is at RevenueCat, not in this database. Search RevenueCat for {id}.
-- @link RevenueCat https://app.revenuecat.com/

-- @elsewhere paywall : The subscription is at RevenueCat, and the paywall is at Superwall. Search RevenueCat for {id}.
-- @link RevenueCat https://app.revenuecat.com/
-- @link Superwall https://superwall.com/dashboard

-- @elsewhere purchase : RevenueCat has the purchases of all devices, with their times. Search RevenueCat for {id}.
-- @link RevenueCat https://app.revenuecat.com/

-- @elsewhere subscription : Subscriptions, transactions and Apple IDs are at RevenueCat, not in this database.
-- @link RevenueCat https://app.revenuecat.com/

-- @users
-- @key id
-- @email email, sign_in_email
-- @search name, email, sign_in_email, phone
-- @columns email, stance, categories, missing_rows
-- @fact stance : The fighting stance that the user chose: orthodox, southpaw or switch.
-- @fact has_profile : Yes if the app wrote the profile of this login.
-- @fact categories : The number of training categories, at most nine, for which the user's progress is stored.
-- @fact missing_rows : The number of missing rows; a complete profile has twelve rows.
-- @fact missing : The tables in which the user's row is missing.
-- @fact updated_at : When the profile last changed.
select a.id, a.raw_user_meta_data ->> 'full_name' as name, coalesce(u.email, a.email) as email, a.email as sign_in_email, a.phone,
       a.raw_app_meta_data ->> 'provider' as provider, u.stance,
       u.id is not null as has_profile, l.user_id is not null as has_levels, 9 - c.missing as categories, d.has_tracker,
       (u.id is null)::int + (l.user_id is null)::int + c.missing + (not d.has_tracker)::int as missing_rows,
       nullif(concat_ws(', ', case when u.id is null then 'the profile' end, case when l.user_id is null then 'the levels' end,
                              case when c.missing = 9 then 'all nine categories' when c.missing > 0 then 'the progress in ' || c.names end,
                              case when not d.has_tracker then 'the daily tracker' end), '') as missing,
       a.created_at, u.updated_at, a.last_sign_in_at
  from auth.users a
  left join public.users u on u.id = a.id
  left join public.user_levels l on l.user_id = a.id
 cross join lateral (select count(*)::int, string_agg(k.name, ', ' order by k.position)
                       from category k
                      where not exists (select from public.category_progress p where p.user_id = a.id and p.name = k.name))
       as c (missing, names)
 cross join lateral (select exists (select from public.daily_xp_tracker t where t.user_id = a.id)) as d (has_tracker);

-- @select incomplete  Accounts with missing rows.
missing_rows > 0;

-- @select no-profile  Logins without a profile.
not has_profile;

-- ---- The profile ----------------------------------------------------------------------------------------------------------------
-- @decision profile  Is the profile complete?
-- If a row is missing, the app tries to load the profile after 2, 4 and 8 seconds.

-- @rule no-profile  This user has a login but no profile; all {missing_rows} rows of the profile are missing. The app tries to load
--    the profile three times, then shows the error "not found".
-- @advice Create the missing rows: `user repair {email}`
-- @advice Then ask the user to open the app again.
not has_profile;

-- @rule incomplete  The profile is incomplete. Missing: {missing}. The app tries to load the profile three times, then shows the
--    error "not found".
-- @advice Create only the missing rows: `user repair {email}`
-- @advice Then ask the user to open the app again.
missing_rows > 0;

-- @rule complete  The profile, the levels, all nine categories and the daily tracker exist.
true;

-- ---- Where the app sends the user -----------------------------------------------------------------------------------------------
-- @screen paywall-next  A signed-in user without a subscription may see the paywall.
-- @advice Check the paywall: `user why {email} --assume session=true --assume subscribed=false --assume has_shown_paywall=false`

-- @decision route  Where does the app send this user?
-- The sign-in screens are paywall, login, onboarding and other-auth. Without a session, the user can stay on all of them. With a
-- session but without a subscription, the user can stay only on paywall and login. Subscribers always see the tabs instead.
-- @assume session: boolean
-- @assume subscribed: boolean
-- @assume location: tabs | create-workout | paywall | login | onboarding | other-auth | elsewhere
-- @assume just_subscribed: boolean = false
-- @assume first_launch: boolean

-- @rule tabs  The user has just subscribed, so the app clears the flag just_subscribed and opens the tabs.
-- @advice If the flag just_subscribed is still set on the phone, the user has not opened the app since the purchase.
just_subscribed;

-- @rule onboarding  No user is signed in, and this is the first launch: the app opens the onboarding.
-- @advice The key onboarding_completed is not set on the phone.
session is false and location in ('tabs', 'create-workout', 'elsewhere') and first_launch;

-- @rule login  No user is signed in, and this is not the first launch: the app opens the login.
-- @advice After signing in, the user has the purchases and the training again.
session is false and location in ('tabs', 'create-workout', 'elsewhere') and first_launch is false;

-- @rule unknown  No user is signed in: the app opens the onboarding at the first launch, and the login at any later launch.
-- @advice Ask if onboarding_completed is set on the phone; the first launch sets this key:
--    `user why {email} --assume session=false --assume location={location} --assume first_launch=false`
session is false and location in ('tabs', 'create-workout', 'elsewhere');

-- @rule stay  The user stays on {location}, which is an allowed screen.
session is false and location is not null or session and subscribed and location in ('tabs', 'create-workout');
-- @because  No user is signed in, and {location} is a sign-in screen, so the user stays there.
session is false;
-- @because  The user is subscribed, and {location} is a screen for subscribers, so the user stays there.
true;

-- @rule tabs  The user is subscribed, so the app goes from {location} to the tabs.
session and subscribed and location is not null;

-- @rule stay  The user is not subscribed and stays on {location}: the paywall and the login are always allowed.
-- @advice paywall-next
subscribed is false and location in ('paywall', 'login');

-- @rule login  The user is not subscribed, so the app goes from {location} to the login.
session and subscribed is false and location is not null;
-- @because  The user is not subscribed, and {location} is not for signed-in users, so the app opens the login.
-- @advice paywall-next
location in ('onboarding', 'other-auth');
-- @because  The user is not subscribed, so the app goes from {location} to the login. The login screen presents the paywall once.
-- @advice If the user has paid, follow the purchase: `user why {email} --assume seconds=30`
-- @advice paywall-next
true;

-- @rule unknown  usher needs three facts from the phone: session, subscription, and the open screen.
true;
-- @because  Only the phone knows whether the user is signed in.
-- @advice Ask if the user is signed in and has paid, and which screen is open:
--    `user why {email} --assume session=true --assume subscribed=false --assume location=login`
-- @advice See the sessions on the server: `session list {email}`
session is null;
-- @because  Only RevenueCat and the phone know whether the user is subscribed.
-- @advice Search for the entitlement "Premium Access" at RevenueCat, or ask for the phone's keys: is_subscribed, subscription_type
--    (monthly or annual) and is_trial.
-- @advice Then add the facts: `user why {email} --assume session=true --assume subscribed=true --assume location=login`
session and subscribed is null;
-- @because  Only the phone knows which screen is open.
-- @advice Ask which screen is open: `user why {email} --assume session={session} --assume subscribed=false --assume location=login`
true;

-- @decision paywall  Does the app present the paywall by itself?
-- @assume session: boolean
-- @assume subscribed: boolean
-- @assume just_subscribed: boolean = false
-- @assume has_shown_paywall: boolean

-- @rule not-shown  The app doesn't present the paywall: the user is subscribed, or has seen the paywall since the app started.
just_subscribed or subscribed or has_shown_paywall;
-- @because  The user has just subscribed, so the tabs open instead.
just_subscribed;
-- @because  The user is subscribed, so the tabs open instead.
subscribed;
-- @because  The app has already presented the paywall in this session, and presents it only once per session.
-- @advice To see the paywall again, the user signs out and in again: signing out resets hasShownPaywall.
true;

-- @rule shown  The user is not subscribed and has not seen the paywall yet: the login screen presents the paywall at once.
-- @advice The paywall comes from Superwall. If the paywall stays blank, check Superwall.
subscribed is false and has_shown_paywall is false;
-- @because  No user is signed in, but the login screen presents the paywall anyway. A purchase made now is linked to the account
--    at the sign-in.
-- @advice Follow such a purchase: `user why {email} --assume anonymous=true`
session is false;
-- @because  The user is not subscribed and has not seen the paywall yet: the login screen presents the paywall at once.
true;

-- @rule unknown  Only the phone and RevenueCat know whether the user is subscribed, and whether the paywall was presented.
true;
-- @because  The user is not subscribed. Only the phone knows whether the app has presented the paywall in this session.
-- @advice Ask whether the user has seen the paywall since the app started:
--    `user why {email} --assume subscribed=false --assume has_shown_paywall=true`
subscribed is false;
-- @because  Only the phone and RevenueCat know whether the user is subscribed.
-- @advice Add the facts: `user why {email} --assume subscribed=false --assume has_shown_paywall=false`
true;

-- ---- A purchase that has not arrived --------------------------------------------------------------------------------------------

-- The app waits 1, 1.5 and 3 s before its first three checks, so these run at 1, 2.5 and 5.5 s. It waits 3, 5 and 8 s before three
-- more checks, at 8.5, 13.5 and 21.5 s. These times don't include the syncs with RevenueCat. With the syncs, the app gives up after
-- about 25 s.

-- @decision purchase  How far is the verification of a purchase?
-- @assume seconds: numeric
-- @assume entitled: boolean
-- @assume anonymous: boolean = false

-- @rule verified  RevenueCat shows the entitlement "Premium Access", so the purchase has arrived.
-- @advice If the app does not show the subscription yet, the user closes and reopens the app, which then opens the tabs.
-- @advice The phone then has the keys is_subscribed, subscription_type (monthly or annual) and is_trial.
entitled;

-- @rule waits-for-sign-in  The user bought without being signed in. The phone stores the purchase and transfers it at the sign-in. The phone then identifies the user at RevenueCat, verifies the purchase three times, clears the flags and creates the profile.
-- @advice The user signs in. Before the sign-in the phone keeps the purchase in the keys anon_subscription_type and anon_is_trial.
-- @advice The sign-in sets the key rc_identified. If the key is set and the purchase is still missing: `user why {email} --assume seconds=30`
-- @advice If the profile was not created: `user repair {email}`
anonymous;

-- @rule unknown  The database doesn't record when the user bought.
-- @advice Ask how many seconds ago the user bought: `user why {email} --assume seconds=12`
-- @advice Or search RevenueCat for the entitlement "Premium Access", and add what you found: `user why {email} --assume entitled=true`
seconds is null;

-- @rule unknown  {seconds} is negative, and a purchase can't be in the future.
-- @advice Ask how many seconds ago the user bought: `user why {email} --assume seconds=12`
seconds < 0;

-- @rule syncing  {seconds} s after the purchase the app syncs with RevenueCat; the first check runs after one second.
-- @shows next: the first of three checks, at 1 s
seconds < 1;

-- @rule checking  {seconds} s after the purchase the first three checks run, at 1, 2.5 and 5.5 s, each after another sync.
-- @shows next: three more checks, at 8.5, 13.5 and 21.5 s
seconds < 5.5;

-- @rule extended  {seconds} s after the purchase the extended checks run, at 8.5, 13.5 and 21.5 s. In the sandbox such delays are normal.
-- @shows next: the receipt
-- @advice Wait; this delay is normal.
seconds < 21.5;

-- @rule receipt  {seconds} s after the purchase all checks are done and the app falls back to the receipt.
-- @shows next: the app gives up, about 25 s after the purchase
-- @advice Wait; this delay is normal.
seconds < 25;

-- @rule gave-up  The app gave up after about 25 s; {seconds} s have passed. The phone caches the purchase for an hour, so the app can show an old state for that time.
-- @shows next: nothing until the user acts
-- @advice Ask the user to open the app again. The phone keeps the purchase in the key pending_subscription_state for one hour.
-- @advice If opening the app does not help, the user taps restore, and the app asks RevenueCat for the entitlement "Premium Access".
-- @advice Missing rows of the profile can cause the same problem: `user repair {email}`
seconds < 3600;

-- @rule lapsed  The purchase was {seconds} s ago, and the phone stored it for only one hour.
-- @shows next: nothing until the user acts
-- @advice The key pending_subscription_state has expired on the phone. The user taps restore, and the app asks RevenueCat for the
--    entitlement "Premium Access".
-- @advice If RevenueCat doesn't have the purchase under this user, check if rc_identified is set on the phone.
true;

-- ---- Repair ---------------------------------------------------------------------------------------------------------------------
-- @action user repair  Create the missing rows of an account; safe to repeat.
-- @role support
-- @grade moderate
-- @expect profile complete
-- @do  The profile is created if it is missing.
insert into public.users (id, email)
select a.id, a.email
  from auth.users a where a.id = any(:users)
    on conflict (id) do nothing;
-- @do  The levels are created if they are missing.
insert into public.user_levels (user_id)
select u.id
  from public.users u where u.id = any(:users)
    on conflict (user_id) do nothing;
-- @do  The missing categories are created.
insert into public.category_progress (user_id, name)
select u.id, k.name
  from public.users u
 cross join category k
 where u.id = any(:users)
    on conflict (user_id, name) do nothing;
-- @do  The first day is created if the account has no day.
insert into public.daily_xp_tracker (user_id, date)
select u.id, (:now at time zone 'UTC')::date
  from public.users u where u.id = any(:users) and not exists (select from public.daily_xp_tracker t where t.user_id = u.id)
    on conflict (user_id, date) do nothing;

-- @list user missing  List accounts with missing rows, the latest first.
select u.id, u.email, u.missing, u.missing_rows, u.created_at, u.last_sign_in_at
  from users u where u.missing_rows > 0
 order by u.created_at desc, u.id;

-- ---- Test states ----------------------------------------------------------------------------------------------------------------
-- @state sign-in-only  The user has a login but no profile.
-- @expect profile no-profile
-- @do  The profile is deleted, with the rows that refer to the profile.
delete from public.users where id = any(:users);

-- @state half-made  The user has a profile, but its other rows are missing.
-- @expect profile incomplete
-- @do
insert into public.users (id, email)
select a.id, a.email
  from auth.users a where a.id = any(:users)
    on conflict (id) do nothing;
-- @do
delete from public.user_levels where user_id = any(:users);
-- @do
delete from public.category_progress where user_id = any(:users);
-- @do
delete from public.daily_xp_tracker where user_id = any(:users);

-- @state beginner  The user has a complete profile and has never trained.
-- @expect profile complete
-- @do  The training is deleted.
delete from public.users where id = any(:users);
-- @do
insert into public.users (id, email)
select a.id, a.email
  from auth.users a where a.id = any(:users);
-- @do
insert into public.user_levels (user_id)
select u.id
  from public.users u where u.id = any(:users);
-- @do
insert into public.category_progress (user_id, name)
select u.id, k.name
  from public.users u
 cross join category k
 where u.id = any(:users);
-- @do
insert into public.daily_xp_tracker (user_id, date)
select u.id, (:now at time zone 'UTC')::date
  from public.users u where u.id = any(:users);

-- ---- Invariants -----------------------------------------------------------------------------------------------------------------
-- @check no-profile  Every login has a profile.
-- @fix user repair
select id, email, created_at from users where not has_profile;

-- @check no-levels  Every profile has its levels.
-- @fix user repair
select id, email, missing from users where has_profile and not has_levels;

-- @check no-progress  Every profile has its nine categories.
-- @fix user repair
select id, email, categories, missing from users where has_profile and categories < 9;

-- @check no-tracker  Every profile has at least one day in the daily tracker.
-- @fix user repair
select id, email, missing from users where has_profile and not has_tracker;

-- @check address  Every profile has the email of its login.
select u.id, p.email, u.sign_in_email
  from users u
  join public.users p on p.id = u.id
 where p.email is distinct from u.sign_in_email;

-- ---- What an account consists of ------------------------------------------------------------------------------------------------

-- Data at RevenueCat and Superwall is not in Postgres. A subscription continues until the user cancels it in the store.

-- @account
-- @root auth.users.id
-- @files avatars {id}/
