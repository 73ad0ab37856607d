-- Apple in xtablo: purchases, and the events that RevenueCat sends about them. Each event is applied once, never overwrites newer
-- data, and never moves a purchase to another login silently.

-- @object purchase  A subscription bought from Apple.
-- @key original_transaction_id
-- @user owner_user_id
-- @search transaction_id
-- @columns original_transaction_id, product, status, environment, current_period_end
-- @order current_period_end desc
select s.original_transaction_id, s.transaction_id, u.email, s.owner_user_id, s.store_product_id as product, s.plan,
       case when s.revoked_at is null or s.status = 'refunded' then s.status else 'revoked' end as status, s.environment,
       s.current_period_end, s.cancel_at_period_end, s.revoked_at, s.last_event_type, s.revenuecat_app_user_id, s.updated_at
  from public.apple_subscriptions s
  left join users u on u.id = s.owner_user_id;

-- @select sandbox  Bought in the sandbox, so the purchase never counts in production.
environment = 'sandbox';

-- @define effect (event_type, applies, status, renews)  The effect of an Apple event on its subscription. Events that do not apply
--    change nothing; an empty status or renewal changes nothing, too.
values ('INITIAL_PURCHASE',      true,  'active',        true),
       ('RENEWAL',               true,  'active',        true),
       ('REFUND_REVERSED',       true,  'active',        null),
       ('UNCANCELLATION',        true,  null,            true),
       ('SUBSCRIPTION_EXTENDED', true,  null,            null),
       ('CANCELLATION',          true,  null,            false),
       ('BILLING_ISSUE',         true,  'billing_retry', null),
       ('EXPIRATION',            true,  'expired',       null),
       ('PRODUCT_CHANGE',        false, null,            null),
       ('NON_RENEWING_PURCHASE', false, null,            null),
       ('TEST',                  false, null,            null);

-- @define message  The content of an Apple event. Its times are in milliseconds; invalid times become NULL.
select e.event_id, e.event_type, e.environment, e.received_at, e.processed_at, e.payload,
       e.payload -> 'event' ->> 'app_user_id' as app_user_id,
       e.payload -> 'event' ->> 'original_app_user_id' as original_app_user_id,
       e.payload -> 'event' ->> 'product_id' as product,
       e.payload -> 'event' ->> 'original_transaction_id' as original_transaction_id,
       e.payload -> 'event' ->> 'transaction_id' as transaction_id,
       e.payload -> 'event' ->> 'period_type' as period_type,
       e.payload -> 'event' ->> 'cancel_reason' as cancel_reason,
       to_timestamp(jsonb_path_query_first(e.payload, '$.event.event_timestamp_ms ? (@ > 0 && @ < 9e12)')::numeric / 1000) as happened_at,
       to_timestamp(jsonb_path_query_first(e.payload, '$.event.purchased_at_ms ? (@ > 0 && @ < 9e12)')::numeric / 1000) as period_start,
       to_timestamp(jsonb_path_query_first(e.payload, '$.event.expiration_at_ms ? (@ > 0 && @ < 9e12)')::numeric / 1000) as period_end,
       to_timestamp(jsonb_path_query_first(e.payload, '$.event.grace_period_expiration_at_ms ? (@ > 0 && @ < 9e12)')::numeric / 1000)
           as grace_until
  from public.apple_subscription_events e;

-- @define alias (user_id, app_user_id)  The ids that RevenueCat uses for a user: its own and ours.
select c.user_id, c.revenuecat_app_user_id from public.apple_customers c
 union all
select p.id, p.id::text from public.profiles p;

-- @define applied  The events that changed a subscription.
select m.event_id, m.event_type, m.environment, m.original_transaction_id, m.happened_at
  from message m
  join effect x on x.event_type = m.event_type and x.applies
 where m.processed_at is not null;

-- @object event  An event from RevenueCat, and the result of processing it.
-- @key event_id
-- @user user_id
-- @search original_transaction_id, transaction_id, app_user_id
-- @columns event_id, event_type, product, state, received_at
-- @order received_at desc
select m.event_id, m.event_type, m.environment, w.user_id, u.email, m.app_user_id, m.original_app_user_id, m.product, p.plan,
       m.original_transaction_id, m.transaction_id, m.happened_at, m.period_start, m.period_end, m.received_at, m.processed_at,
       s.owner_user_id, case when m.event_type = 'CANCELLATION' and m.cancel_reason = 'CUSTOMER_SUPPORT' then 'refunded'
                             when m.event_type = 'BILLING_ISSUE' and m.grace_until > m.happened_at then 'grace_period'
                             when x.status = 'active' and m.period_type = 'TRIAL' then 'trialing'
                             else coalesce(x.status, s.status, 'active') end as sets_status, x.renews,
       case when m.processed_at is not null then 'processed'
            when m.payload = '{}' then 'erased'
            when m.event_type = 'TRANSFER' then 'transfer'
            when x.event_type is null then 'unknown-type'
            when not x.applies then 'no-effect'
            when num_nulls(m.environment, m.happened_at, m.original_transaction_id, m.app_user_id) > 0 then 'incomplete'
            when w.user_id is null then 'unknown-user'
            when c.user_id is null and u.revenuecat_app_user_id is not null then 'other-customer'
            when p.plan is null then 'unknown-product'
            when s.environment <> m.environment then 'other-environment'
            when s.owner_user_id <> w.user_id then 'other-login'
            else coalesce((select case when bool_or(a.event_type = m.event_type and a.happened_at = m.happened_at) then 'duplicate'
                                       when bool_or(a.happened_at > m.happened_at) then 'out-of-order' end
                             from applied a
                            where a.original_transaction_id = m.original_transaction_id and a.environment = m.environment), 'waiting')
            end as state, m.payload
  from message m
  left join public.apple_customers c on c.revenuecat_app_user_id = m.app_user_id
  left join public.profiles f
    on f.id = case when m.app_user_id ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' then m.app_user_id::uuid end
 cross join lateral (select coalesce(c.user_id, f.id)) as w (user_id)
  left join users u on u.id = w.user_id
  left join product p on p.id = m.product
  left join effect x on x.event_type = m.event_type
  left join public.apple_subscriptions s on s.original_transaction_id = m.original_transaction_id;

-- @select unprocessed  Received but never processed.
processed_at is null;

-- @select unknown-user  The purchase of the event belongs to no known user.
processed_at is null and state = 'unknown-user';

-- @select duplicate  Sent again under another id, after the first was processed.
processed_at is null and state = 'duplicate';

-- @select out-of-order  Older than the last applied event.
processed_at is null and state = 'out-of-order';

-- @select unresolved  A person must check the event before it is processed.
processed_at is null and state not in ('waiting', 'duplicate', 'out-of-order', 'no-effect', 'erased');

-- @panel Apple purchases
select p.product, p.plan, p.status, p.environment, p.current_period_end, p.cancel_at_period_end as ends, p.last_event_type,
       p.original_transaction_id
  from purchase p where p.owner_user_id = :user
 order by p.current_period_end desc nulls last, p.product;

-- @panel Apple events
-- @limit 20
select e.received_at, e.event_type, e.product, e.environment, e.state, e.happened_at, e.processed_at, e.event_id
  from event e where e.user_id = :user and e.app_user_id = any(array(select a.app_user_id from alias a where a.user_id = :user))
 order by e.received_at desc, e.event_id;

-- @timeline apple
select e.received_at as at, 'apple event' as kind, e.event_type as title,
       concat_ws(', ', e.environment, e.product, case when e.state <> 'processed' then e.state end, e.event_id) as detail
  from event e where e.user_id = :user and e.app_user_id = any(array(select a.app_user_id from alias a where a.user_id = :user));

-- @action user link  Link a RevenueCat id to a user.
-- @option revenuecat: text : The id of the user at RevenueCat.
-- @grade moderate
-- @refuse There is no profile; create it first with `user repair`.
has_profile is not true;
-- @refuse RevenueCat already has this user as {revenuecat_app_user_id}.
revenuecat_app_user_id <> :revenuecat;
-- @refuse That id belongs to another user, and usher never transfers an id by itself.
exists (select from public.apple_customers c where c.revenuecat_app_user_id = :revenuecat and c.user_id <> facts.id);
-- @warn No event has that id.
not exists (select from message m where m.app_user_id = :revenuecat);
-- @do
insert into public.apple_customers (user_id, revenuecat_app_user_id)
select id, :revenuecat from users where id = any(:users)
    on conflict (revenuecat_app_user_id) do nothing;

-- @action event replay  Process an Apple event, without overwriting newer data.
-- @role support
-- @on event
-- @select unprocessed
-- @each happened_at
-- @grade moderate
-- @refuse The content of the event was deleted with the account.
state = 'erased';
-- @refuse usher never transfers a purchase to another login by itself. Use purchase move to transfer the purchase.
state = 'transfer';
-- @refuse The app file doesn't declare the effect of {event_type} on a subscription.
state = 'unknown-type';
-- @refuse The event has no time, environment, user or subscription.
state = 'incomplete';
-- @refuse No user has the id {app_user_id}. If you know the user, link the id with `user link`.
state = 'unknown-user';
-- @refuse RevenueCat has {email} under another id. Merge the two users at RevenueCat.
state = 'other-customer';
-- @refuse The event has no product.
state = 'unknown-product' and product is null;
-- @refuse {product} is not in the product map, and usher never guesses a plan from a name.
state = 'unknown-product';
-- @refuse The {environment} event is about a subscription of the other environment, so usher can't process it.
state = 'other-environment';
-- @refuse The subscription belongs to another login, and usher never transfers it by itself.
state = 'other-login';
-- @warn The event was processed at {processed_at}; nothing will change.
state = 'processed';
-- @warn The same event was already processed under another id; this one is only marked as processed.
state = 'duplicate';
-- @warn A newer event was already applied; this one is only marked as processed.
state = 'out-of-order';
-- @warn {event_type} changes no subscription; the event is only marked as processed.
state = 'no-effect';
-- @do  The customer at RevenueCat is recorded.
insert into public.apple_customers as c (user_id, revenuecat_app_user_id, original_app_user_id, last_seen_environment)
select e.user_id, e.app_user_id, e.original_app_user_id, e.environment
  from event e where e.event_id = :key and e.state = 'waiting'
    on conflict (revenuecat_app_user_id) do update
   set last_seen_environment = excluded.last_seen_environment
 where c.last_seen_environment is distinct from excluded.last_seen_environment;
-- @do  The subscription changes.
insert into public.apple_subscriptions as s (owner_user_id, revenuecat_app_user_id, store_product_id, plan, status, environment,
                                             original_transaction_id, transaction_id, current_period_start, current_period_end,
                                             cancel_at_period_end, revoked_at, raw_customer_id, last_event_type)
select e.user_id, e.app_user_id, e.product, e.plan, e.sets_status, e.environment, e.original_transaction_id, e.transaction_id,
       e.period_start, e.period_end, coalesce(not e.renews, o.cancel_at_period_end, false),
       case when e.sets_status = 'refunded' then coalesce(o.revoked_at, e.happened_at) when not n.is_paid then o.revoked_at end,
       e.original_app_user_id, e.event_type
  from event e
 cross join lateral (select e.event_type in ('INITIAL_PURCHASE', 'RENEWAL', 'REFUND_REVERSED')) as n (is_paid)
  left join public.apple_subscriptions o on o.original_transaction_id = e.original_transaction_id
 where e.event_id = :key and e.state = 'waiting'
    on conflict (original_transaction_id) do update
   set revenuecat_app_user_id = excluded.revenuecat_app_user_id,
       store_product_id = excluded.store_product_id, plan = excluded.plan, status = excluded.status,
       transaction_id = coalesce(excluded.transaction_id, s.transaction_id),
       current_period_start = coalesce(excluded.current_period_start, s.current_period_start),
       current_period_end = coalesce(excluded.current_period_end, s.current_period_end),
       cancel_at_period_end = excluded.cancel_at_period_end, revoked_at = excluded.revoked_at,
       raw_customer_id = coalesce(excluded.raw_customer_id, s.raw_customer_id), last_event_type = excluded.last_event_type
 where s.owner_user_id = excluded.owner_user_id and s.environment = excluded.environment;
-- @do  The event is marked as processed.
update public.apple_subscription_events r set processed_at = :now
  from event e
 where r.event_id = :key and e.event_id = r.event_id and e.state in ('waiting', 'duplicate', 'out-of-order', 'no-effect');

-- @action purchase move  Move a purchase to another user, after both users agreed.
-- @on purchase
-- @option to: user : The new owner.
-- @grade severe
-- @approve admin
-- @refuse The new owner has no profile; create it first with `user repair`.
not exists (select from users u where u.id = :to and u.has_profile);
-- @warn {email} loses the purchase, and the access that it gives.
status in (select h.status from health h where h.pays);
-- @warn Later events under the old login will be refused. Move the purchase at RevenueCat, too.
true;
-- @do  A new customer gets the id of the profile at RevenueCat, as in the app.
insert into public.apple_customers (user_id, revenuecat_app_user_id)
select distinct u.id, u.id::text from public.apple_subscriptions s
  join users u on u.id = :to and u.has_profile and u.revenuecat_app_user_id is null
 where s.original_transaction_id = any(:keys) and s.owner_user_id <> u.id
    on conflict do nothing;
-- @do  The purchase, and its RevenueCat id.
update public.apple_subscriptions s
   set owner_user_id = u.id, revenuecat_app_user_id = coalesce(u.revenuecat_app_user_id, u.id::text)
  from users u
 where s.original_transaction_id = any(:keys) and u.id = :to and u.has_profile and s.owner_user_id <> u.id;

-- @action purchase link  Set the RevenueCat id of a purchase to that of its owner.
-- @on purchase
-- @grade moderate
-- @warn RevenueCat has the purchase under {revenuecat_app_user_id}. Events under that id will be refused until RevenueCat changes
--    it.
true;
-- @do  A new customer gets the id of the profile at RevenueCat.
insert into public.apple_customers (user_id, revenuecat_app_user_id)
select s.owner_user_id, s.owner_user_id::text from public.apple_subscriptions s
 where s.original_transaction_id = any(:keys)
   and not exists (select from public.apple_customers c where c.user_id = s.owner_user_id)
    on conflict do nothing;
-- @do
update public.apple_subscriptions s
   set revenuecat_app_user_id = c.revenuecat_app_user_id
  from public.apple_customers c
 where s.original_transaction_id = any(:keys) and c.user_id = s.owner_user_id
   and s.revenuecat_app_user_id is distinct from c.revenuecat_app_user_id;

-- @list purchase unknown  List purchases that belong to no known user.
select e.event_id, e.event_type, e.app_user_id, e.product, e.original_transaction_id, e.environment, e.happened_at, e.received_at
  from event e where e.processed_at is null and e.state = 'unknown-user'
 order by e.happened_at, e.event_id;

-- @stat statuses  Apple subscriptions by status.
select coalesce(s.status::text, 'unknown') as label, count(*) as value from public.apple_subscriptions s group by 1 order by 2 desc, 1;

-- @check product-map  Every Apple purchase has the plan of its product.
-- @on purchase
select s.original_transaction_id, s.email, s.product, s.plan, p.plan as expected
  from purchase s
  left join product p on p.id = s.product
 where s.plan is distinct from p.plan;

-- @check customer  Every Apple purchase has the RevenueCat id of its owner.
-- @on purchase
-- @fix purchase link
select s.original_transaction_id, s.email, s.revenuecat_app_user_id, c.revenuecat_app_user_id as expected
  from purchase s
  left join public.apple_customers c on c.user_id = s.owner_user_id
 where s.revenuecat_app_user_id is distinct from c.revenuecat_app_user_id;

-- @check environments  No event was applied to a subscription of the other environment.
-- @on event
select a.event_id, a.event_type, a.environment, s.environment as applied_to, s.original_transaction_id
  from applied a
  join public.apple_subscriptions s on s.original_transaction_id = a.original_transaction_id
 where s.environment <> a.environment;

-- @check unknown-purchases  Every purchase belongs to a known user.
-- @on event
select event_id, event_type, app_user_id, product, environment, received_at
  from event where processed_at is null and state = 'unknown-user';

-- @check unprocessed  No event has waited longer than an hour.
-- @on event
-- @fix event replay
select event_id, event_type, state, environment, received_at, email
  from event
 where processed_at is null and state in ('waiting', 'duplicate', 'out-of-order', 'no-effect') and received_at < :now - interval '1 hour';

-- @check unresolved  No event waits for a person to check it.
-- @on event
select event_id, event_type, state, coalesce(email, app_user_id) as buyer, environment, received_at
  from event
 where processed_at is null and state not in ('waiting', 'duplicate', 'out-of-order', 'no-effect', 'erased', 'unknown-user');
