-- Who is pro and through what, the free trial, and the paywall in every state of the store.

-- @example signed-up  A sign-in whose trigger made the rest.
-- @user ada@example.com
-- @do
insert into auth.users (id, email, created_at, raw_app_meta_data, raw_user_meta_data)
values ('00000000-0000-4000-8000-000000000001', 'ada@example.com', :now, '{"provider": "apple"}', '{"full_name": "Ada"}');
-- @expect pro free
-- @expect trial offered
-- @expect paywall unavailable

-- @example no-profile  The trigger did not run.
-- @from signed-up
-- @do
delete from public.profiles;
-- @expect pro free

-- @example no-entitlement  It ran half.
-- @from signed-up
-- @do
delete from public.entitlements;
-- @expect pro free

-- @example trial-marked-used  A trial began, and the mark stayed.
-- @from signed-up
-- @do
insert into public.trial_eligibility (user_id, eligible, used_at) select p.id, true, :now from public.profiles p;
-- @expect trial offered

-- @example trial-forgotten  Somebody offered another.
-- @from trial-marked-used
-- @do
update public.trial_eligibility set reset_at = :now;
-- @expect trial offered

-- @example trial-used  The trial is over.
-- @from trial-marked-used
-- @do
update public.trial_eligibility set eligible = false;
-- @expect trial used
-- @expect pro free

-- @example trial-denied  Not eligible, and nothing says why.
-- @from trial-used
-- @do
update public.trial_eligibility set used_at = null;
-- @expect trial not-offered

-- @example store  Through the store, for a month.
-- @from signed-up
-- @do
update public.entitlements set is_pro = true, source = 'store', expires_at = :now + interval '1 month';
-- @expect pro pro

-- @example store-endless  Without an end.
-- @from store
-- @do
update public.entitlements set expires_at = null;
-- @expect pro pro

-- @example restored  The purchase was restored.
-- @from store
-- @do
update public.entitlements set source = 'restore';
-- @expect pro pro

-- @example restored-endless  A purchase for life.
-- @from restored
-- @do
update public.entitlements set expires_at = null;
-- @expect pro pro

-- @example code  Through a code.
-- @from store
-- @do
update public.entitlements set source = 'unlock_code';
-- @expect pro pro

-- @example code-endless  A code without an end.
-- @from code
-- @do
update public.entitlements set expires_at = null;
-- @expect pro pro

-- @example granted  By an admin.
-- @from store
-- @do
update public.entitlements set source = 'admin';
-- @expect pro pro

-- @example granted-endless  For good.
-- @from granted
-- @do
update public.entitlements set expires_at = null;
-- @expect pro pro

-- @example sourceless  Nothing says through what.
-- @from store
-- @do
update public.entitlements set source = null;
-- @expect pro pro

-- @example sourceless-endless  Nor until when.
-- @from sourceless
-- @do
update public.entitlements set expires_at = null;
-- @expect pro pro

-- @example store-late  Over, and still marked.
-- @from store
-- @do
update public.entitlements set expires_at = :now;
-- @expect pro free

-- @example granted-late  The same for what an admin gave.
-- @from store-late
-- @do
update public.entitlements set source = 'admin';
-- @expect pro free

-- @example store-ended  Over, and marked so.
-- @from store-late
-- @do
update public.entitlements set is_pro = false;
-- @expect pro free

-- @example refunded  Taken away before its end.
-- @from store-ended
-- @do
update public.entitlements set expires_at = :now + interval '1 day';
-- @expect pro free

-- @example refunded-endless  Taken away without an end.
-- @from refunded
-- @do
update public.entitlements set expires_at = null;
-- @expect pro free

-- @example code-ended  A code that ran out.
-- @from store-ended
-- @do
update public.entitlements set source = 'unlock_code';
-- @expect pro free

-- @example code-taken  A code that was taken away.
-- @from code-ended
-- @do
update public.entitlements set expires_at = null;
-- @expect pro free

-- @example grant-ended  A grant that ran out.
-- @from store-ended
-- @do
update public.entitlements set source = 'admin';
-- @expect pro free

-- @example grant-taken  A grant that was taken back.
-- @from grant-ended
-- @do
update public.entitlements set expires_at = null;
-- @expect pro free

-- @example offered  A product nobody asked the store about.
-- @from signed-up
-- @do
insert into public.store_products (product_id, title) values ('monthly', 'Monthly');
-- @expect paywall loading

-- @example loading  The app is waiting for the store.
-- @from offered
-- @do
update public.store_products set state = 'loading', checked_at = :now;
-- @expect paywall loading

-- @example loaded  It can be bought.
-- @from loading
-- @do
update public.store_products set state = 'loaded';
-- @expect paywall loaded

-- @example failed  The store did not answer.
-- @from loading
-- @do
update public.store_products set state = 'failed';
-- @expect paywall unavailable

-- @example failed-with-reason  It said why.
-- @from failed
-- @do
update public.store_products set message = 'no network';
-- @expect paywall unavailable

-- @example empty  The store has nothing.
-- @from loading
-- @do
update public.store_products set state = 'empty';
-- @expect paywall unavailable

-- @example empty-with-reason  And says why.
-- @from empty
-- @do
update public.store_products set message = 'no such product';
-- @expect paywall unavailable

-- @example purchasing  A purchase is under way.
-- @from loading
-- @do
update public.store_products set state = 'purchasing';
-- @expect paywall purchasing

-- @example pending  Somebody has to approve it.
-- @from loaded
-- @assume store_state=pending
-- @expect paywall pending

-- @example purchase-failed  It failed.
-- @from loading
-- @do
update public.store_products set state = 'purchase_failed';
-- @expect paywall purchase-failed

-- @example purchase-failed-with-reason  It says why.
-- @from purchase-failed
-- @do
update public.store_products set message = 'card declined';
-- @expect paywall purchase-failed
