-- The webhook events of RevenueCat, as most apps store them: one row per event in public.revenuecat_events, with app_user_id, the
-- event as JSON, and its time. Each event has the complete state of the subscription.

-- @app revenuecat  RevenueCat
-- @requires public.revenuecat_events.app_user_id

-- The column with the event is named payload, raw_payload, raw_event, raw, event_data or event. The column contains the whole JSON
-- body of the webhook, or only the field event of the body. If your table has another name or no app_user_id, write a block of your
-- own, @define received, with the same columns. Your block replaces the block here. The column id of @users must be the id that the
-- app sends to RevenueCat. For deleting accounts, add a @refers line from public.revenuecat_events.app_user_id to your table of users.
-- A deletion keeps events from before the user signed in, because they have another id. An index on app_user_id makes `user show`
-- fast.

-- @define received (app_user_id, event, received_at, processed_at)  The events of RevenueCat, as received.
select r.app_user_id::text, coalesce(d.document -> 'event', d.document), coalesce(r.received_at, r.created_at), r.processed_at
  from public.revenuecat_events r
 cross join lateral (select coalesce(r.payload, r.raw_payload, r.raw_event, r.raw, r.event_data, r.event) as document) as d;

-- @define attributed (user_id, app_user_id, event, received_at, processed_at)  The received events, each with its user.
-- A user who bought before signing in has an anonymous id at RevenueCat. The aliases in the event contain the id that the app uses.
select u.id, r.app_user_id, r.event, r.received_at, r.processed_at
  from received r
  left join users u on u.id::text = r.app_user_id
 where r.app_user_id not like '$RCAnonymousID:%'
 union all
select u.id, r.app_user_id, r.event, r.received_at, r.processed_at
  from received r
  left join lateral (select n.name
                       from jsonb_array_elements_text(coalesce(nullif(r.event -> 'aliases', 'null'), '[]')
                                                      || coalesce(nullif(r.event -> 'transferred_to', 'null'), '[]')
                                                      || coalesce(r.event -> 'original_app_user_id', '[]')) as n (name)
                      where n.name not like '$RCAnonymousID:%'
                      limit 1) as a on true
  left join users u on u.id::text = a.name
 where r.app_user_id is null or r.app_user_id like '$RCAnonymousID:%';

-- @define transferred (user_id, at)  The times at which RevenueCat moved the purchases of a user to another user.
select u.id, to_timestamp((r.event ->> 'event_timestamp_ms')::numeric / 1000)
  from received r
 cross join lateral jsonb_array_elements_text(nullif(r.event -> 'transferred_from', 'null')) as n (name)
  join users u on u.id::text = n.name
 where r.app_user_id is null and r.event ->> 'type' = 'TRANSFER';

-- @object event  An event that RevenueCat sent about a purchase.
-- @key id
-- @user user_id
-- @search transaction_id
-- @columns id, at, type, product, environment
select e.event ->> 'id' as id, e.user_id, e.app_user_id, e.event ->> 'type' as type,
       to_timestamp((e.event ->> 'event_timestamp_ms')::numeric / 1000) as at, e.event ->> 'product_id' as product,
       e.event ->> 'new_product_id' as new_product, e.event ->> 'period_type' as period,
       to_timestamp((e.event ->> 'purchased_at_ms')::numeric / 1000) as purchased_at,
       to_timestamp((e.event ->> 'expiration_at_ms')::numeric / 1000) as expires_at,
       to_timestamp((e.event ->> 'grace_period_expiration_at_ms')::numeric / 1000) as grace_until,
       e.event ->> 'store' as store, e.event ->> 'environment' as environment, (e.event ->> 'price_in_purchased_currency')::numeric as amount,
       e.event ->> 'currency' as currency, coalesce(e.event ->> 'cancel_reason', e.event ->> 'expiration_reason') as reason,
       (select string_agg(n.name, ', ') from jsonb_array_elements_text(nullif(e.event -> 'entitlement_ids', 'null')) as n (name))
       as entitlements,
       e.event ->> 'transaction_id' as transaction_id, e.event ->> 'original_transaction_id' as original_transaction_id,
       e.received_at, e.processed_at
  from attributed e;

-- @select refunds  Events about a refund.
amount < 0;

-- @select unknown  Events of unknown users.
user_id is null;

-- @object subscription  A purchase of a user, in the state of its latest event.
-- @key original_transaction_id
-- @user user_id
-- @columns original_transaction_id, product, state, expires_at
-- RevenueCat sends an event when a user changes the product. The change takes effect at the next renewal.
select distinct on (e.user_id, e.original_transaction_id)
       e.original_transaction_id, e.user_id, e.product, e.entitlements, e.period, e.type as last_event, e.at as last_event_at, e.expires_at,
       e.grace_until, e.store, e.environment, e.reason, e.new_product, e.purchased_at,
       case when e.type = 'EXPIRATION' or e.type = 'CANCELLATION' and e.reason = 'CUSTOMER_SUPPORT' then 'ended'
            when e.type = 'BILLING_ISSUE' then 'late'
            when e.type = 'SUBSCRIPTION_PAUSED' then 'pausing'
            when e.type = 'CANCELLATION' then 'cancelled'
            when e.period = 'TRIAL' then 'trial'
            else 'running' end as state
  from event e
 where e.type in ('INITIAL_PURCHASE', 'RENEWAL', 'CANCELLATION', 'UNCANCELLATION', 'NON_RENEWING_PURCHASE', 'SUBSCRIPTION_PAUSED',
                  'EXPIRATION', 'BILLING_ISSUE', 'PRODUCT_CHANGE', 'SUBSCRIPTION_EXTENDED', 'TEMPORARY_ENTITLEMENT_GRANT',
                  'REFUND_REVERSED')
   and e.original_transaction_id is not null
   and not exists (select from transferred t where t.user_id = e.user_id and t.at > e.at)
 order by e.user_id, e.original_transaction_id, e.at desc;

-- @select ending  Subscriptions that will not be renewed.
state in ('cancelled', 'pausing');

-- @select late  Subscriptions whose payment failed; the store will try again.
state = 'late';

-- @decision subscription  Does this user have a subscription at RevenueCat?
-- If a user has several subscriptions, paid subscriptions come first, then the subscriptions that last longest.
select u.id, u.email, s.original_transaction_id, s.product, s.new_product, s.state, s.expires_at, s.grace_until, s.store, s.reason,
       s.environment, s.expires_at is null or greatest(s.expires_at, s.grace_until) > :now as lasts
  from users u
  left join lateral (select *
                       from subscription s
                      where s.user_id = u.id
                      order by s.state = 'ended', s.expires_at is not null and greatest(s.expires_at, s.grace_until) <= :now,
                               s.environment = 'SANDBOX', s.expires_at desc nulls first, s.original_transaction_id
                      limit 1) as s on true;

-- @rule none  RevenueCat didn't send an event about a purchase of this user.
-- @advice If the user paid before signing in, ask the user to restore the purchase in the app. RevenueCat then sends the user's id.
original_transaction_id is null;

-- @rule ended  {product} has ended. The reason at RevenueCat: {reason}.
state = 'ended' or not lasts;
-- @because  {product} was refunded by the store.
state = 'ended' and reason = 'CUSTOMER_SUPPORT';
-- @because  {product} was not paid, and the store no longer tries to charge.
state = 'ended' and reason = 'BILLING_ERROR';
-- @because  {product} was cancelled and ended at {expires_at}.
state = 'ended' and reason = 'UNSUBSCRIBE' or state = 'cancelled';
-- @because  {product} ended at {expires_at}; RevenueCat has sent neither a renewal nor the end.
-- @advice Compare with the customer's page at RevenueCat; a webhook may be missing: `user timeline {email}`
state <> 'ended';
-- @because  {product} ended at {expires_at}.
expires_at <= :now;

-- @rule test  {product} was bought in the sandbox, without paying.
environment = 'SANDBOX';

-- @rule trial  This user has a trial of {product}, until {expires_at}.
state = 'trial';

-- @rule late  The last payment for {product} failed, and the store will try again.
-- @advice The user updates the payment method in the store.
state = 'late';

-- @rule paying  This user pays for {product}.
true;
-- @because  This user pays for {product}; the subscription is cancelled and runs until {expires_at}.
-- @advice To keep access, the user turns renewal on again in the store before that date.
state = 'cancelled';
-- @because  This user pays for {product}; the subscription pauses at {expires_at}.
state = 'pausing';
-- @because  This user pays for {product}, and changes to {new_product} at {expires_at}.
new_product is not null;
-- @because  This user bought {product} without an end date.
expires_at is null;
-- @because  This user pays for {product}; the current period runs until {expires_at}.
true;

-- @panel Subscriptions
-- @explains subscription
-- @limit 10
select s.product, s.state, s.entitlements, s.expires_at, s.store, s.environment, s.last_event, s.last_event_at, s.original_transaction_id
  from subscription s
 where s.user_id = :user
 order by s.last_event_at desc, s.original_transaction_id;

-- @panel Payments
-- @limit 12
select e.purchased_at, e.type, e.product, e.amount, e.currency, e.store, e.environment, e.transaction_id
  from event e
 where e.user_id = :user and e.amount <> 0
 order by e.at desc, e.id;

-- @timeline revenuecat
select e.at, 'revenuecat' as kind, lower(replace(e.type, '_', ' ')) as title,
       concat_ws(', ', e.product, e.new_product, e.reason, e.environment, e.id) as detail
  from event e
 where e.user_id = :user;

-- @stat subscriptions  Subscriptions at RevenueCat by status.
select s.state as label, count(*) as value from subscription s where s.environment <> 'SANDBOX' group by 1 order by 2 desc, 1;

-- @check unknown-buyers  Every event is about a known user.
-- @on event
select e.id, e.type, e.app_user_id, e.at from event e where e.user_id is null and e.type <> 'TEST' and e.environment <> 'SANDBOX';

-- @account
-- @optional public.revenuecat_events.payload: jsonb
-- @optional public.revenuecat_events.raw_payload: jsonb
-- @optional public.revenuecat_events.raw_event: jsonb
-- @optional public.revenuecat_events.raw: jsonb
-- @optional public.revenuecat_events.event_data: jsonb
-- @optional public.revenuecat_events.event: jsonb
-- @optional public.revenuecat_events.received_at: timestamptz
-- @optional public.revenuecat_events.created_at: timestamptz
-- @optional public.revenuecat_events.processed_at: timestamptz
-- @optional public.revenuecat_events.original_app_user_id: text
-- @ignore public.revenuecat_events.*transaction_id : The column contains the id of a purchase in the store.
-- @ignore public.revenuecat_events.*event_id : The column contains the id of an event of RevenueCat.
-- @ignore public.revenuecat_events.original_app_user_id : The column contains the id of the row's own user.
-- @ignore public.revenuecat_events.payload : The column contains an event about the row's own user.
-- @ignore public.revenuecat_events.raw_payload : The column contains an event about the row's own user.
-- @ignore public.revenuecat_events.raw_event : The column contains an event about the row's own user.
-- @ignore public.revenuecat_events.raw : The column contains an event about the row's own user.
-- @ignore public.revenuecat_events.event_data : The column contains an event about the row's own user.
-- @ignore public.revenuecat_events.event : The column contains an event about the row's own user.
