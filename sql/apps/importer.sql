-- Pro Import Tools. The paywall opens even if the store is down, and users can always restore a purchase or enter a code there.

-- @app importer  Pro Import Tools
-- @requires public.profiles
-- @requires public.entitlements.is_pro
-- @requires public.unlock_codes.code_hash
-- @requires public.store_products.state
-- @constant always: text = restore, enter code
-- @constant later: text = you can restore, enter a code, or try again later
-- @include ./importer/screens.sql
-- @include supabase

-- @elsewhere paywall : Only Apple and the phone know the state of this user's own purchase.

-- @elsewhere ask-to-buy : Only Apple knows about Ask to Buy and purchases that wait for approval.

-- @elsewhere shop : Imports and their shops are on the phone, not in this database. Ask for the email of the account.

-- @elsewhere apple-order M*#* : Apple's order numbers are not in this database.
-- @link Apple https://appstoreconnect.apple.com/

-- @users
-- @key id
-- @email email, sign_in_email
-- @search name, email, sign_in_email, phone
-- @columns name, email, is_pro, source, expires_at
-- @fact is_pro : The pro flag. The flag can stay set after the end date; the app checks the date.
-- @fact source : How the user became pro: store, restored purchase, unlock code, or admin.
-- @fact expires_at : The end date of pro, in the past or in the future; empty if pro has no end.
-- @fact trial_eligible : Yes if the paywall offers a free trial.
-- @fact sign_in_email : The email of the login, which can differ from the email in the profile.
-- @fact updated_at : When the profile or the entitlement last changed.
-- @fact has_profile : Yes if sign-up created the profile.
select a.id, p.name, coalesce(p.email, a.email) as email, a.email as sign_in_email, a.phone, e.is_pro, e.source, e.expires_at, e.granted_at, e.unlock_code_id,
       coalesce(t.eligible, true) as trial_eligible, t.used_at as trial_used_at, t.reset_at as trial_reset_at,
       p.id is not null as has_profile, e.user_id is not null as has_entitlement, a.created_at, greatest(p.updated_at, e.updated_at) as updated_at,
       a.last_sign_in_at
  from auth.users a
  left join public.profiles p on p.id = a.id
  left join public.entitlements e on e.user_id = a.id
  left join public.trial_eligibility t on t.user_id = a.id;

-- @select pro  Users who are pro now.
is_pro and (expires_at is null or expires_at > :now);

-- @select due  Users whose pro has ended, but whose pro flag is still set.
is_pro and expires_at <= :now;

-- @select ending  Users whose pro ends within a week.
is_pro and expires_at > :now and expires_at <= :now + interval '7 days';

-- @refuse no-profile  This user has no profile; create the profile first with `user repair`.
has_profile is not true;

-- @object code  An unlock code; the database has only its hash.
-- @key id
-- @search label
-- @columns id, label, standing, uses_left, expires_at
-- @order expires_at desc
select c.id, c.label, case when c.revoked_at is not null then 'revoked' when c.used >= c.uses then 'used up'
                           when c.expires_at <= :now then 'expired' else 'usable' end as standing,
       c.uses, c.used, c.uses - c.used as uses_left, h.holders, c.expires_at, c.revoked_at, c.created_at
  from public.unlock_codes c
 cross join lateral (select count(*)::int as holders from public.entitlements e where e.unlock_code_id = c.id and e.is_pro) as h;

-- @select usable  Codes that users can still redeem.
standing = 'usable';

-- @object product  A product on the paywall, and its state in the store.
-- @key product_id
-- @search title
select p.product_id, p.title, p.state, p.message, p.checked_at, :now - p.checked_at as age from public.store_products p;

-- @select unavailable  Products that users can't buy at the moment.
state in ('failed', 'empty');

-- ---- Pro ------------------------------------------------------------------------------------------------------------------------
-- @decision pro  Is this user pro, and how?
-- The first rules are about missing rows, then about pro users, then about all other users. The app checks the end date too, not only
-- the flag.

-- @rule free  The profile or the entitlement is missing.
-- @advice Create the missing rows: `user repair {email}`
(has_profile and has_entitlement) is not true;
-- @because  This user has a login but no profile: the sign-up trigger did not create the profile.
has_profile is not true;
-- @because  There is no entitlement row, so the user can't be pro.
has_entitlement is not true;

-- @rule pro  This user is pro now.
is_pro and (expires_at is null or expires_at > :now);
-- @because  This user is pro through the store; the current period runs until {expires_at}.
source = 'store' and expires_at is not null;
-- @because  This user is pro through the store, without an end date.
source = 'store';
-- @because  This user is pro through a restored purchase, until {expires_at}.
source = 'restore' and expires_at is not null;
-- @because  This user is pro through a restored purchase, without an end date.
source = 'restore';
-- @because  This user is pro through an unlock code, until {expires_at}.
-- @advice See the code: `code show {unlock_code_id}`
source = 'unlock_code' and expires_at is not null;
-- @because  This user is pro through an unlock code, without an end date.
-- @advice See the code: `code show {unlock_code_id}`
source = 'unlock_code';
-- @because  This user is pro because an admin granted it, until {expires_at}.
-- @advice Remove pro: `pro revoke {email}`
source = 'admin' and expires_at is not null;
-- @because  This user is pro because an admin granted it, without an end date.
-- @advice Remove pro: `pro revoke {email}`
source = 'admin';
-- @because  This user is pro until {expires_at}, but no source is recorded.
-- @advice Find out where the pro access came from: `user timeline {email}`
expires_at is not null;
-- @because  This user is pro without an end date, but no source is recorded.
-- @advice Find out where the pro access came from: `user timeline {email}`
true;

-- @rule free  Pro has ended, or the user never had pro.
true;
-- @because  The store subscription ended at {expires_at}. The pro flag is still set, but the app checks the date.
-- @advice If the user renewed the subscription, ask the user to restore the purchase in the app. The paywall always offers this.
-- @advice Clear the pro flag: `pro expire {email}`
is_pro and source in ('store', 'restore');
-- @because  Pro ended at {expires_at}. The pro flag is still set, but the app checks the date.
-- @advice Give more time: `pro grant {email} --days 30`
-- @advice Clear the pro flag: `pro expire {email}`
is_pro;
-- @because  The store subscription ended at {expires_at}.
-- @advice If the user renewed the subscription, ask the user to restore the purchase in the app. The paywall always offers this.
source in ('store', 'restore') and expires_at <= :now;
-- @because  The store purchase was revoked before its end, {expires_at}. This happens after a refund.
-- @advice Find out when the store revoked the purchase: `user timeline {email}`
source in ('store', 'restore') and expires_at > :now;
-- @because  The store purchase was revoked; it had no end date.
-- @advice If the purchase is still valid, ask the user to restore it in the app.
source in ('store', 'restore');
-- @because  Pro through an unlock code ended at {expires_at}.
-- @advice Give more time: `pro grant {email} --days 30`
-- @advice Or redeem another code for the user: `pro unlock {email}`
source = 'unlock_code' and expires_at <= :now;
-- @because  Pro through an unlock code was revoked.
-- @advice If somebody revoked pro by mistake: `pro grant {email}`
source = 'unlock_code';
-- @because  The pro access that an admin granted ended at {expires_at}.
-- @advice Give more time: `pro grant {email} --days 30`
source = 'admin' and expires_at <= :now;
-- @because  The pro access that an admin granted was revoked.
-- @advice If somebody revoked pro by mistake: `pro grant {email}`
source = 'admin';
-- @because  This user was never pro; the paywall offers a free trial.
-- @advice Ask the user to start the free trial in the app, or to enter an unlock code there.
-- @advice See what the paywall shows: `user why {email}`
trial_eligible;
-- @because  This user was never pro, and the paywall doesn't offer a free trial.
-- @advice Ask the user to subscribe in the app, or to enter an unlock code there.
-- @advice Offer another trial: `trial reset {email}`
-- @advice Or give access without the store: `pro grant {email} --days 7`
true;

-- @decision trial  Does the paywall offer this user a free trial?

-- @rule offered  The user never had a trial, or the trial was reset.
trial_eligible;
-- @because  The user never had a trial.
trial_used_at is null;
-- @because  The trial of {trial_used_at} no longer counts: it was reset at {trial_reset_at}.
trial_reset_at >= trial_used_at;
-- @because  A trial began at {trial_used_at}, but the user is still marked as eligible.
true;

-- @rule used  The free trial began at {trial_used_at}.
-- @advice Offer another trial: `trial reset {email}`
trial_used_at is not null;

-- @rule not-offered  The user is marked as not eligible for a trial; no trial is recorded.
-- @advice Offer a trial: `trial reset {email}`
true;

-- ---- The paywall ----------------------------------------------------------------------------------------------------------------
-- @screen loading  The button is visible, but disabled.
-- @shows button: {offer}
-- @shows look: gray, disabled
-- @shows message: loading, spinner
-- @shows actions: wait, dismiss, {always}

-- @screen unavailable  Users can't buy anything at the moment.
-- @shows button: Subscription Unavailable
-- @shows look: pale gray, disabled
-- @shows message: The store could not be loaded ({later})
-- @shows actions: dismiss, {always}
-- @advice Give access in the meantime: `pro grant {email} --days 7`

-- @decision paywall  What does the paywall show this user, for each product?
-- Each rule describes one state of the store: the button, its look, the message below it, and what the user can do. Every paywall
-- offers to restore a purchase and to enter a code. Values of --assume replace recorded values. If the assumed state differs from the
-- recorded state, the paywall shows no recorded message.
-- @per product_id
-- @assume store_state: public.store_state
-- @assume message: text
-- @assume trial_eligible: boolean
select u.*, s.product_id, s.title, s.checked_at, coalesce(:store_state, s.state) as store_state,
       case when :store_state is null or :store_state = s.state then nullif(s.message, '') end as message,
       case when coalesce(:trial_eligible, u.trial_eligible) then 'Start Free Trial' else 'Subscribe Now' end as offer
  from users u
  left join public.store_products s on true;

-- @rule unavailable  There is no product to offer: the store returned an empty list.
-- @shows unavailable
-- @shows message: The store has no products ({later})
product_id is null;

-- @rule loading  The app is waiting for the store.
-- @shows loading
store_state = 'loading' or store_state is null;
-- @because  No state of {product_id} is recorded yet; the app first asks the store.
-- @advice Record the state: `store record {product_id} loaded`
store_state is null;

-- @rule loaded  The product can be bought.
-- @shows button: {offer}
-- @shows look: gradient, enabled
-- @shows actions: buy, {always}
store_state = 'loaded';

-- @rule unavailable  The store could not be loaded, or has no products.
-- @shows unavailable
-- @advice When the store works again: `store record {product_id} loaded`
store_state in ('failed', 'empty');
-- @because  The store could not be loaded: {message}
-- @shows message: {message} ({later})
store_state = 'failed' and message is not null;
-- @because  The store could not be loaded; no reason is recorded.
-- @shows message: The store could not be loaded ({later})
store_state = 'failed';
-- @because  The store returned no products: {message}
-- @shows message: {message} ({later})
message is not null;
-- @because  The store returned no products.
-- @shows message: The store has no products ({later})
true;

-- @rule purchasing  The last recorded state of {product_id}, at {checked_at}, is a purchase in progress. The buyer can be another user.
-- @shows button: progress spinner
-- @shows look: gradient, disabled
-- @shows actions: wait, {always}
store_state = 'purchasing';

-- @rule pending  The last recorded state of {product_id}, at {checked_at}, is an Ask to Buy that waits for approval. The buyer can be another user.
--    Only Apple knows whether this user's purchase waits for approval.
-- @shows loading
-- @shows message: approval pending
-- @advice If this user is the buyer, the family organizer has to approve the purchase. The app works as it should.
store_state = 'pending';

-- @rule purchase-failed  The purchase failed; no details are recorded.
-- @shows loading
-- @shows message: The purchase failed (you can try again)
-- @shows actions: retry, dismiss, {always}
-- @advice If the store took the money anyway, the user restores the purchase. The paywall always offers this.
store_state = 'purchase_failed';
-- @because  The purchase failed: {message}
-- @shows message: {message} (you can try again)
message is not null;

-- @rule unknown  The paywall opens, but usher doesn't know what the paywall shows for the store state {store_state}.
-- @shows button: Subscription Unavailable
-- @shows look: pale gray, disabled
-- @shows actions: dismiss, {always}
-- @advice Forward this case to engineering.
true;

-- ---- Granting pro ---------------------------------------------------------------------------------------------------------------
-- @action pro grant  Grant pro for some days, until a date, or without an end.
-- @option days?: int 1..3650 : The number of days from now. Without --days and --until, pro has no end.
-- @option until?: timestamptz : The end of pro, instead of --days.
-- @grade moderate
-- @expect pro pro
-- @refuse Use either --days or --until.
num_nonnulls(:days, :until) > 1;
-- @refuse The date of --until is not in the future.
:until <= :now;
-- @refuse no-profile
-- @refuse The user is already pro through the store; a grant would hide the store purchase.
is_pro and source in ('store', 'restore') and (expires_at is null or expires_at > :now);
-- @warn The user is pro without an end; this grant sets an end date.
is_pro and expires_at is null and num_nonnulls(:days, :until) > 0;
-- @warn The user is already pro without an end date; this grant changes only the source of pro.
is_pro and expires_at is null and num_nonnulls(:days, :until) = 0;
-- @warn The user is pro until {expires_at}; this grant replaces the end date.
is_pro and expires_at > :now;
-- @do
insert into public.entitlements (user_id, is_pro, source, expires_at, granted_at)
select u.id, true, 'admin', coalesce(:until, :now + make_interval(days => :days)), :now
  from users u where u.id = any(:users)
    on conflict (user_id) do update
   set is_pro = true, source = 'admin', unlock_code_id = null, expires_at = excluded.expires_at, granted_at = excluded.granted_at;

-- @action pro unlock  Redeem an unlock code for a user.
-- @arg code: secret : The code that the user was given.
-- @grade mild
-- @expect pro pro
-- @refuse no-profile
-- @refuse The user is already pro and doesn't need the code.
is_pro and (expires_at is null or expires_at > :now);
-- @refuse The code doesn't exist; check the spelling.
not exists (select from public.unlock_codes c where c.code_hash = encode(sha256(convert_to(:code, 'UTF8')), 'hex'));
-- @refuse The code was revoked.
exists (select from public.unlock_codes c
         where c.code_hash = encode(sha256(convert_to(:code, 'UTF8')), 'hex') and c.revoked_at is not null);
-- @refuse The code has expired.
exists (select from public.unlock_codes c where c.code_hash = encode(sha256(convert_to(:code, 'UTF8')), 'hex') and c.expires_at <= :now);
-- @refuse The code is used up.
exists (select from public.unlock_codes c where c.code_hash = encode(sha256(convert_to(:code, 'UTF8')), 'hex') and c.used >= c.uses);
-- @do  The user is pro through the code.
insert into public.entitlements (user_id, is_pro, source, unlock_code_id, granted_at)
select u.id, true, 'unlock_code', c.id, :now
  from users u
  join public.unlock_codes c on c.code_hash = encode(sha256(convert_to(:code, 'UTF8')), 'hex')
 where u.id = any(:users)
    on conflict (user_id) do update
   set is_pro = true, source = 'unlock_code', unlock_code_id = excluded.unlock_code_id, expires_at = null, granted_at = excluded.granted_at;
-- @do  The code counts the use.
update public.unlock_codes set used = used + cardinality(:users)
 where code_hash = encode(sha256(convert_to(:code, 'UTF8')), 'hex') and exists (select from users u where u.id = any(:users));

-- @action pro revoke  Remove pro; the user then sees the paywall.
-- @grade moderate
-- @expect pro free
-- @refuse This user is not pro.
is_pro is not true;
-- @warn The store purchase is still valid. If the user restores the purchase, the user is pro again.
is_pro and source in ('store', 'restore') and (expires_at is null or expires_at > :now);
-- @do
update public.entitlements set is_pro = false, expires_at = least(expires_at, :now)
 where user_id = any(:users) and is_pro;

-- @action pro expire  Clear the pro flag of users whose pro has ended.
-- @select due
-- @grade mild
-- @expect pro free
-- @refuse This user is not marked as pro.
is_pro is not true;
-- @refuse Pro has not ended yet; remove pro with `pro revoke`.
is_pro and (expires_at is null or expires_at > :now);
-- @do
update public.entitlements set is_pro = false
 where user_id = any(:users) and is_pro and expires_at <= :now;

-- @list pro list  List pro users, sorted by end date.
-- @option source?: store | restore | unlock_code | admin : Only users with this source.
-- @option ending?: interval : Only users whose pro ends within this time, such as 7 days.
select u.id, u.email, u.name, u.source, u.expires_at, floor(extract(epoch from u.expires_at - :now) / 86400)::int as days_left, u.granted_at
  from users u where u.is_pro and (u.expires_at is null or u.expires_at > :now) and (:source is null or u.source = :source)
   and (:ending is null or u.expires_at <= :now + :ending)
 order by u.expires_at, u.email, u.id;

-- @action trial reset  Offer a user a free trial again.
-- @role support
-- @grade moderate
-- @expect trial offered
-- @refuse no-profile
-- @refuse The paywall already offers this user a free trial.
trial_eligible;
-- @do
insert into public.trial_eligibility (user_id, eligible, reset_at)
select unnest(:users), true, :now
    on conflict (user_id) do update set eligible = true, reset_at = excluded.reset_at;

-- @action user repair  Create the missing profile and entitlement of a user.
-- @role support
-- @grade moderate
-- @expect pro free
-- @refuse The profile and the entitlement already exist.
has_profile and has_entitlement;
-- @do  The profile is created.
insert into public.profiles (id, email, name)
select a.id, a.email, a.raw_user_meta_data ->> 'full_name' from auth.users a where a.id = any(:users)
    on conflict (id) do nothing;
-- @do  The entitlement is created.
insert into public.entitlements (user_id)
select unnest(:users)
    on conflict (user_id) do nothing;

-- ---- Unlock codes ---------------------------------------------------------------------------------------------------------------
-- @action code create  Create an unlock code, which usher shows only once.
-- @on nothing
-- @arg code?: secret : The code that users will type. Without this argument usher makes a random code.
-- @option label?: text : The purpose of the code, such as the name of a campaign.
-- @option uses: int 1..100000 = 1 : The number of users who can redeem the code.
-- @option expires?: interval : How long users can redeem the code, such as 30 days. Default: no limit.
-- @grade mild
-- @refuse This code already exists.
exists (select from public.unlock_codes c where c.code_hash = encode(sha256(convert_to(:code, 'UTF8')), 'hex'));
-- @refuse The code would end in the past; --expires needs a positive time.
:expires <= interval '0';
-- @do
insert into public.unlock_codes (code_hash, label, uses, expires_at, created_at)
values (encode(sha256(convert_to(:code, 'UTF8')), 'hex'), :label, :uses, :now + :expires, :now);

-- @action code revoke  Revoke an unlock code.
-- @on code
-- @grade moderate
-- @refuse The code was already revoked at {revoked_at}.
revoked_at is not null;
-- @warn Users who redeemed the code stay pro: {holders} so far.
holders > 0;
-- @do
update public.unlock_codes set revoked_at = :now
 where id = any(:keys::bigint[]) and revoked_at is null;

-- ---- The store ------------------------------------------------------------------------------------------------------------------
-- @action store record  Record the state of a product in the store.
-- @on nothing
-- @arg product: text : The id of the product in the store.
-- @arg state: public.store_state : The state in the store.
-- @option message?: text : The error message of the store.
-- @option title?: text : The title of a new product.
-- @grade mild
-- @refuse The product {product} doesn't exist. To create the product, add --title.
:title is null and not exists (select from public.store_products p where p.product_id = :product);
-- @warn Without --message the paywall can't tell users why the product is missing.
:state in ('failed', 'purchase_failed') and :message is null;
-- @do
insert into public.store_products as p (product_id, title, state, message, checked_at)
values (:product, coalesce(:title, :product), :state, :message, :now)
    on conflict (product_id) do update
   set title = coalesce(:title, p.title), state = excluded.state, message = excluded.message, checked_at = excluded.checked_at;

-- ---- Test states ----------------------------------------------------------------------------------------------------------------
-- @state never-pro  The user just signed up and was never pro, and the paywall offers a free trial.
-- @expect pro free
-- @expect trial offered
-- @do
update public.entitlements set is_pro = false, source = null, unlock_code_id = null, expires_at = null, granted_at = null
 where user_id = any(:users);
-- @do
delete from public.trial_eligibility where user_id = any(:users);

-- @state trial-used  The user was never pro and has used the free trial.
-- @from never-pro
-- @expect pro free
-- @expect trial used
-- @do
insert into public.trial_eligibility (user_id, eligible, used_at) select unnest(:users), false, :now - interval '20 days';

-- @state pro-store  The user bought pro in the store; pro is valid for another month.
-- @expect pro pro
-- @do
insert into public.entitlements (user_id, is_pro, source, expires_at, granted_at)
select unnest(:users), true, 'store', :now + interval '1 month', :now
    on conflict (user_id) do update
   set is_pro = true, source = 'store', unlock_code_id = null, expires_at = excluded.expires_at, granted_at = excluded.granted_at;

-- @state pro-restore  The user restored pro on a new phone; pro is valid for another month.
-- @from pro-store
-- @expect pro pro
-- @do
update public.entitlements set source = 'restore' where user_id = any(:users);

-- @state pro-code  The user is pro through an unlock code for tests, without an end date.
-- @expect pro pro
-- @do  The code for tests is created, or gets a use for each user.
insert into public.unlock_codes as c (code_hash, label, uses, used, created_at)
values (encode(sha256(convert_to('the code of the test states', 'UTF8')), 'hex'), 'test states', cardinality(:users), cardinality(:users),
        :now)
    on conflict (code_hash) do update set uses = c.uses + excluded.uses, used = c.used + excluded.used;
-- @do  The users have redeemed the code.
insert into public.entitlements (user_id, is_pro, source, unlock_code_id, granted_at)
select unnest(:users), true, 'unlock_code', c.id, :now
  from public.unlock_codes c where c.code_hash = encode(sha256(convert_to('the code of the test states', 'UTF8')), 'hex')
    on conflict (user_id) do update
   set is_pro = true, source = 'unlock_code', unlock_code_id = excluded.unlock_code_id, expires_at = null, granted_at = excluded.granted_at;

-- @state pro-ended  The user bought pro in the store; the paid time ended a day ago, but the pro flag is still set.
-- @from pro-store
-- @expect pro free
-- @do
update public.entitlements set expires_at = :now - interval '1 day', granted_at = :now - interval '31 days' where user_id = any(:users);

-- All users have the same store, so each of these test states affects all users.

-- @state store-loading  Every product is loading, for all users.
-- @on nothing
-- @expect paywall loading
-- @do
update public.store_products set state = 'loading', message = null, checked_at = :now;

-- @state store-loaded  All users can buy every product.
-- @on nothing
-- @expect paywall loaded
-- @do
update public.store_products set state = 'loaded', message = null, checked_at = :now;

-- @state store-failed  The store can't be loaded, for all users.
-- @on nothing
-- @expect paywall unavailable
-- @do
update public.store_products set state = 'failed', message = 'The network connection was lost.', checked_at = :now;

-- @state store-empty  The store returns no products, for all users.
-- @on nothing
-- @expect paywall unavailable
-- @do
update public.store_products set state = 'empty', message = null, checked_at = :now;

-- @state store-purchasing  Every product has a purchase in progress, for all users.
-- @on nothing
-- @expect paywall purchasing
-- @do
update public.store_products set state = 'purchasing', message = null, checked_at = :now;

-- @state store-pending  Every purchase waits for approval.
-- @on nothing
-- @expect paywall pending
-- @do
update public.store_products set state = 'pending', message = null, checked_at = :now;

-- @state store-purchase-failed  Every purchase has failed.
-- @on nothing
-- @expect paywall purchase-failed
-- @do
update public.store_products set state = 'purchase_failed', message = 'The payment was declined.', checked_at = :now;

-- ---- Invariants -----------------------------------------------------------------------------------------------------------------
-- @check no-profile  Every login has a profile.
-- @fix user repair
select id, email, created_at from users where has_profile is not true;

-- @check no-entitlement  Every profile has an entitlement row.
-- @fix user repair
select id, email, created_at from users where has_profile and has_entitlement is not true;

-- @check pro-overdue  No user has the pro flag after the end of pro.
-- @fix pro expire
select id, email, source, expires_at from users where is_pro and expires_at <= :now;

-- @check pro-sourceless  Every pro user has a recorded source.
select id, email, expires_at, granted_at from users where is_pro and source is null;

-- @check code-unnamed  Every user who is pro through an unlock code used a known code.
select id, email, granted_at from users where is_pro and source = 'unlock_code' and unlock_code_id is null;

-- @check code-count  No code was redeemed more often than its counter shows.
-- @on code
select id, label, uses, used, holders from code where holders > used;

-- @check trial-twice  The paywall doesn't offer a second trial to a user, unless the trial was reset.
select id, email, trial_used_at, trial_reset_at from users where trial_eligible and trial_used_at > coalesce(trial_reset_at, '-infinity');

-- @check store-stuck  No product stays in loading or purchasing for more than an hour.
-- @on product
select product_id, state, checked_at from product where state in ('loading', 'purchasing') and age > interval '1 hour';

-- @check store-stale  Every product was checked within a day.
-- @on product
select product_id, state, checked_at from product where (age <= interval '1 day') is not true;

-- ---- What an account consists of ------------------------------------------------------------------------------------------------

-- The profile, the entitlement and the trial are deleted with the login. Unlock codes stay, and still count the use by this user.

-- @account
-- @root auth.users.id
-- @warn The user is pro through the store, which keeps charging after the deletion. Only the user can cancel the subscription, in the store.
is_pro and source in ('store', 'restore') and expires_at > :now;
-- @secret public.unlock_codes.code_hash
