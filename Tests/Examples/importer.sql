-- Pro and its sources, the free trial, and the paywall in every state of the store.

-- @example signed-up  A new login gets a profile and an entitlement from the trigger.
-- @user ada@example.com
-- @do
insert into auth.users (id, email, created_at, raw_app_meta_data, raw_user_meta_data)
values ('00000000-0000-4000-8000-000000000001', 'ada@example.com', :now, '{"provider": "apple"}', '{"full_name": "Ada"}');
-- @expect pro free
-- @expect trial offered
-- @expect paywall unavailable

-- @example no-profile  A login without a profile, because the trigger did not run.
-- @from signed-up
-- @do
delete from public.profiles;
-- @expect pro free

-- @example no-entitlement  A profile without an entitlement, because the trigger failed halfway.
-- @from signed-up
-- @do
delete from public.entitlements;
-- @expect pro free

-- @example trial-marked-used  A trial began, but the user is still marked as eligible.
-- @from signed-up
-- @do
insert into public.trial_eligibility (user_id, eligible, used_at) select p.id, true, :now from public.profiles p;
-- @expect trial offered

-- @example trial-forgotten  Support reset the trial, so the user can have another trial.
-- @from trial-marked-used
-- @do
update public.trial_eligibility set reset_at = :now;
-- @expect trial offered

-- @example trial-used  The user has used the free trial.
-- @from trial-marked-used
-- @do
update public.trial_eligibility set eligible = false;
-- @expect trial used
-- @expect pro free

-- @example trial-denied  The user is not eligible for a trial, and no trial is recorded.
-- @from trial-used
-- @do
update public.trial_eligibility set used_at = null;
-- @expect trial not-offered

-- @example store  The user is pro through the store for a month.
-- @from signed-up
-- @do
update public.entitlements set is_pro = true, source = 'store', expires_at = :now + interval '1 month';
-- @expect pro pro

-- @example store-endless  The user is pro through the store, without an end.
-- @from store
-- @do
update public.entitlements set expires_at = null;
-- @expect pro pro

-- @example restored  The user is pro through a restored purchase.
-- @from store
-- @do
update public.entitlements set source = 'restore';
-- @expect pro pro

-- @example restored-endless  The user is pro through a restored purchase, without an end.
-- @from restored
-- @do
update public.entitlements set expires_at = null;
-- @expect pro pro

-- @example code  The user is pro through an unlock code until a date.
-- @from store
-- @do
update public.entitlements set source = 'unlock_code';
-- @expect pro pro

-- @example code-endless  The user is pro through an unlock code, without an end.
-- @from code
-- @do
update public.entitlements set expires_at = null;
-- @expect pro pro

-- @example granted  The user is pro because an admin granted it, until a date.
-- @from store
-- @do
update public.entitlements set source = 'admin';
-- @expect pro pro

-- @example granted-endless  The user is pro because an admin granted it, without an end.
-- @from granted
-- @do
update public.entitlements set expires_at = null;
-- @expect pro pro

-- @example sourceless  The user is pro until a date, and no source is recorded.
-- @from store
-- @do
update public.entitlements set source = null;
-- @expect pro pro

-- @example sourceless-endless  The user is pro without an end, and no source is recorded.
-- @from sourceless
-- @do
update public.entitlements set expires_at = null;
-- @expect pro pro

-- @example store-late  The store subscription has ended, but the pro flag is still set.
-- @from store
-- @do
update public.entitlements set expires_at = :now;
-- @expect pro free

-- @example granted-late  The grant has ended, but the pro flag is still set.
-- @from store-late
-- @do
update public.entitlements set source = 'admin';
-- @expect pro free

-- @example store-ended  The store subscription has ended, and the pro flag is cleared.
-- @from store-late
-- @do
update public.entitlements set is_pro = false;
-- @expect pro free

-- @example refunded  The store revoked the purchase before its end.
-- @from store-ended
-- @do
update public.entitlements set expires_at = :now + interval '1 day';
-- @expect pro free

-- @example refunded-endless  The store revoked a purchase that had no end.
-- @from refunded
-- @do
update public.entitlements set expires_at = null;
-- @expect pro free

-- @example code-ended  Pro through an unlock code has ended.
-- @from store-ended
-- @do
update public.entitlements set source = 'unlock_code';
-- @expect pro free

-- @example code-taken  Pro through an unlock code was revoked.
-- @from code-ended
-- @do
update public.entitlements set expires_at = null;
-- @expect pro free

-- @example grant-ended  The pro access that an admin granted has ended.
-- @from store-ended
-- @do
update public.entitlements set source = 'admin';
-- @expect pro free

-- @example grant-taken  The pro access that an admin granted was revoked.
-- @from grant-ended
-- @do
update public.entitlements set expires_at = null;
-- @expect pro free

-- @example offered  The product has no recorded state.
-- @from signed-up
-- @do
insert into public.store_products (product_id, title) values ('monthly', 'Monthly');
-- @expect paywall loading

-- @example loading  The app is waiting for the store.
-- @from offered
-- @do
update public.store_products set state = 'loading', checked_at = :now;
-- @expect paywall loading

-- @example loaded  The user can buy the product.
-- @from loading
-- @do
update public.store_products set state = 'loaded';
-- @expect paywall loaded

-- @example failed  The store could not be loaded, and no reason is recorded.
-- @from loading
-- @do
update public.store_products set state = 'failed';
-- @expect paywall unavailable

-- @example failed-with-reason  The store could not be loaded, and the reason is recorded.
-- @from failed
-- @do
update public.store_products set message = 'no network';
-- @expect paywall unavailable

-- @example empty  The store returned no products.
-- @from loading
-- @do
update public.store_products set state = 'empty';
-- @expect paywall unavailable

-- @example empty-with-reason  The store returned no products, and the reason is recorded.
-- @from empty
-- @do
update public.store_products set message = 'no such product';
-- @expect paywall unavailable

-- @example purchasing  A purchase is in progress.
-- @from loading
-- @do
update public.store_products set state = 'purchasing';
-- @expect paywall purchasing

-- @example pending  A purchase waits for approval.
-- @from loaded
-- @assume store_state=pending
-- @expect paywall pending

-- @example purchase-failed  The purchase failed, and no reason is recorded.
-- @from loading
-- @do
update public.store_products set state = 'purchase_failed';
-- @expect paywall purchase-failed

-- @example purchase-failed-with-reason  The purchase failed, and the reason is recorded.
-- @from purchase-failed
-- @do
update public.store_products set message = 'card declined';
-- @expect paywall purchase-failed
