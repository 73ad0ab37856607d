-- What is paid for an organisation, by which provider, and what the phone shows.

-- @example signed-up  A login with a profile is not in an organisation.
-- @user ada@example.com
-- @do
insert into auth.users (id, email, created_at, raw_user_meta_data)
values ('00000000-0000-4000-8000-000000000001', 'ada@example.com', :now, '{"full_name": "Ada"}');
-- @expect billing no-organization
-- @expect ios-paywall no-organization

-- @example no-profile  A login without a profile, because the trigger did not run.
-- @from signed-up
-- @do
delete from public.profiles;
-- @expect billing no-profile
-- @expect ios-paywall no-profile

-- @example alone  The owner is alone in an organisation without a trial.
-- @from signed-up
-- @do
insert into public.organizations (id, name, billing_owner_id)
values ('00000000-0000-4000-8000-0000000000a1', 'Tables', '00000000-0000-4000-8000-000000000001');
-- @expect billing unpaid
-- @expect ios-paywall paywall

-- @example on-the-web  The web has no paywall.
-- @from alone
-- @assume platform=web
-- @expect ios-paywall not-ios

-- @example nobody-signed-in  No user is signed in on the phone.
-- @from alone
-- @assume signed_in=false
-- @expect ios-paywall sign-in

-- @example offline  The phone is offline.
-- @from alone
-- @assume network=offline
-- @expect ios-paywall reconnect

-- @example outage  The store is down.
-- @from alone
-- @assume store=outage
-- @expect ios-paywall last-known

-- @example overdue  The app has stopped checking for the purchase.
-- @from alone
-- @assume purchase=overdue
-- @expect ios-paywall retry

-- @example bought-unseen  The store accepted the purchase, but no event has arrived.
-- @from alone
-- @assume purchase=received
-- @expect ios-paywall syncing

-- @example restored-elsewhere  The phone reports that the purchase belongs to another login.
-- @from alone
-- @assume purchase=other-login
-- @expect ios-paywall blocked

-- @example ownerless  A member of an organisation without a billing owner can't buy.
-- @from alone
-- @do
insert into public.organization_members (organization_id, user_id) select o.id, o.billing_owner_id from public.organizations o;
-- @do
update public.organizations set billing_owner_id = null;
-- @expect billing unpaid
-- @expect ios-paywall owner-manages

-- @example trial-over  The trial has ended.
-- @from alone
-- @do
update public.organizations set trial_starts_at = :now - interval '14 days', trial_ends_at = :now;
-- @expect billing unpaid

-- @example trial  The trial is running.
-- @from alone
-- @do
update public.organizations set trial_starts_at = :now, trial_ends_at = :now + interval '14 days';
-- @expect billing trial
-- @expect ios-paywall status

-- @example solo  The organisation is paid for through Stripe.
-- @from alone
-- @do
insert into public.stripe_subscriptions (id, owner_user_id, stripe_customer_id, plan, status, current_period_end)
values ('sub_1', '00000000-0000-4000-8000-000000000001', 'cus_1', 'solo', 'active', :now + interval '1 month');
-- @expect billing paid
-- @expect ios-paywall status

-- @example twice  The owner pays for two subscriptions, and one would be enough.
-- @from solo
-- @do
insert into public.stripe_subscriptions (id, owner_user_id, stripe_customer_id, plan, status, current_period_end)
values ('sub_2', '00000000-0000-4000-8000-000000000001', 'cus_1', 'annual', 'active', :now + interval '1 month');
-- @expect billing paid
-- @expect ios-paywall status

-- @example late  The subscription is active after the end of its period.
-- @from solo
-- @do
update public.stripe_subscriptions set current_period_end = :now - interval '1 day';
-- @expect billing paid

-- @example endless  No end of the period is recorded.
-- @from solo
-- @do
update public.stripe_subscriptions set current_period_end = null;
-- @expect billing paid

-- @example past-due  The last payment failed.
-- @from solo
-- @do
update public.stripe_subscriptions set status = 'past_due';
-- @expect billing paid

-- @example cancelled-early  The subscription is cancelled before the end of its period.
-- @from solo
-- @do
update public.stripe_subscriptions set status = 'canceled';
-- @expect billing unpaid

-- @example cancelled  The subscription is cancelled, and its period has ended.
-- @from cancelled-early
-- @do
update public.stripe_subscriptions set current_period_end = :now;
-- @expect billing unpaid

-- @example cancelled-undated  The subscription is cancelled, and no end is recorded.
-- @from cancelled-early
-- @do
update public.stripe_subscriptions set current_period_end = null;
-- @expect billing unpaid

-- @example test-mode  The subscription is from Stripe's test mode.
-- @from solo
-- @do
update public.stripe_subscriptions set livemode = false;
-- @expect billing unpaid

-- @example sandbox  A subscription from Stripe's test mode counts in the sandbox.
-- @from test-mode
-- @assume environment=sandbox
-- @expect billing paid

-- @example apple  The organisation is paid for through Apple.
-- @from alone
-- @do
insert into public.apple_subscriptions (owner_user_id, revenuecat_app_user_id, store_product_id, plan, status, environment,
                                        original_transaction_id, current_period_end)
values ('00000000-0000-4000-8000-000000000001', 'rc_1', 'solo_ios_monthly', 'solo', 'active', 'production', '1001',
        :now + interval '1 month');
-- @expect billing paid

-- @example refunded  Apple refunded the purchase.
-- @from apple
-- @do
update public.apple_subscriptions set status = 'refunded', revoked_at = :now;
-- @expect billing unpaid

-- @example apple-for-two  A solo plan from Apple is not enough for two members.
-- @from apple
-- @do
insert into auth.users (id, email, created_at) values ('00000000-0000-4000-8000-000000000002', 'ben@example.com', :now);
-- @do
insert into public.organization_members (organization_id, user_id)
select o.id, '00000000-0000-4000-8000-000000000002' from public.organizations o;
-- @expect billing insufficient
-- @expect ios-paywall web-billing

-- @example solo-for-two  A solo plan from Stripe is not enough for two members.
-- @from solo
-- @do
insert into auth.users (id, email, created_at) values ('00000000-0000-4000-8000-000000000002', 'ben@example.com', :now);
-- @do
insert into public.organization_members (organization_id, user_id)
select o.id, '00000000-0000-4000-8000-000000000002' from public.organizations o;
-- @expect billing insufficient

-- @example unpaid-for-two  An organisation of two members has no paid plan.
-- @from solo-for-two
-- @do
delete from public.stripe_subscriptions;
-- @expect billing unpaid
-- @expect ios-paywall web-billing

-- @example second-member  The second member can't buy for the organisation.
-- @from unpaid-for-two
-- @user ben@example.com
-- @expect billing unpaid
-- @expect ios-paywall owner-manages

-- @example paying-member  A member pays, but the billing owner does not.
-- @from unpaid-for-two
-- @user ben@example.com
-- @do
insert into public.stripe_subscriptions (id, owner_user_id, stripe_customer_id, plan, status, current_period_end)
values ('sub_3', '00000000-0000-4000-8000-000000000002', 'cus_2', 'team', 'active', :now + interval '1 month');
-- @expect billing unpaid
-- @expect ios-paywall owner-manages

-- @example short-of-seats  The team plan has one seat for two members.
-- @from solo-for-two
-- @do
update public.stripe_subscriptions set plan = 'team', quantity = 1;
-- @expect billing insufficient

-- @example trial-with-too-little  Until the trial ends, everybody has access despite a plan that is too small.
-- @from short-of-seats
-- @do
update public.organizations set trial_starts_at = :now, trial_ends_at = :now + interval '14 days';
-- @expect billing trial

-- @example waiting  A purchase arrived and is not processed.
-- @from alone
-- @do
insert into public.apple_subscription_events (event_id, event_type, environment, payload)
values ('e1', 'INITIAL_PURCHASE', 'production',
        '{"event": {"app_user_id": "00000000-0000-4000-8000-000000000001", "product_id": "solo_ios_monthly",
                    "original_transaction_id": "1001", "event_timestamp_ms": 1767225600000}}');
-- @expect billing unpaid
-- @expect ios-paywall syncing

-- @example other-login  The purchase belongs to another login.
-- @from waiting
-- @do
insert into auth.users (id, email, created_at) values ('00000000-0000-4000-8000-000000000002', 'ben@example.com', :now);
-- @do
insert into public.apple_subscriptions (owner_user_id, revenuecat_app_user_id, store_product_id, plan, status, environment,
                                        original_transaction_id)
values ('00000000-0000-4000-8000-000000000002', 'rc_2', 'solo_ios_monthly', 'solo', 'expired', 'production', '1001');
-- @expect ios-paywall blocked

-- @example late-and-waiting  The period is over, and a renewal from Apple is not processed yet.
-- @from late
-- @do
insert into public.apple_subscription_events (event_id, event_type, environment, payload)
values ('e1', 'RENEWAL', 'production',
        '{"event": {"app_user_id": "00000000-0000-4000-8000-000000000001", "product_id": "solo_ios_monthly",
                    "original_transaction_id": "1001", "event_timestamp_ms": 1767225600000}}');
-- @expect billing paid
