-- Webhooks that the app stores send to Impulse AI. Each webhook is processed once, and an older webhook never overwrites newer data.

-- @define webhook  Store webhooks, each with the time of its event, or NULL if the payload has no valid time.
-- Some servers can't parse fractions of a second, so the fractions are removed before the time is tested.
select e.*, case when jsonb_path_exists_tz(
                          to_jsonb(regexp_replace(regexp_replace(e.payload ->> 'at', '(:\d\d)\.\d+(Z|[+-]\d\d(:\d\d)?)?$', '\1\2'), 'Z$', '+00:00')),
                          '$.datetime()', silent => true)
                 then (e.payload ->> 'at')::timestamptz end as happened_at
  from public.iap_webhook_events e;

-- @define customer  Profiles that the store has sent events about.
-- If profiles is a foreign table, Postgres fetches only these rows from the other server.
select p.id from public.profiles p where p.id in (select w.user_id from public.iap_webhook_events w);

-- @define purchase  Purchases that are not processed yet.
select e.event_id, e.user_id, e.received_at
  from public.iap_webhook_events e
 where e.processed_at is null and e.environment = 'production' and e.event_type in ('SUBSCRIBED', 'DID_RENEW');

-- @object event  A store webhook, as received.
-- @key event_id
-- @user user_id
-- @columns event_id, event_type, product, received_at, processed_at
-- @order received_at desc
select e.event_id, e.event_type, e.environment, e.user_id, p.id is not null as has_profile, e.payload ->> 'product_id' as product, c.tier,
       e.happened_at, e.received_at, e.processed_at, e.payload,
       exists (select from webhook n where n.user_id = e.user_id and n.environment = e.environment and n.processed_at is not null
                                       and not jsonb_exists(n.payload, 'dismissed') and n.happened_at > e.happened_at) as superseded
  from webhook e
  left join customer p on p.id = e.user_id
  left join public.subscription_config c on c.product_id = e.payload ->> 'product_id';

-- @select unprocessed  Events that arrived but are not processed.
processed_at is null;

-- @panel Store webhooks
select e.received_at, e.event_type, e.environment, e.happened_at, e.processed_at, e.event_id
  from event e where e.user_id = :user order by e.received_at desc;

-- @action event replay  Process a store webhook, without overwriting newer data.
-- @role support
-- @on event
-- @select unprocessed
-- @each happened_at
-- @grade moderate
-- @refuse This event is from the {environment} environment, so it must not change the data of real users.
environment <> 'production';
-- @refuse No user has the id in this event.
has_profile is not true;
-- @refuse The event has no time. Forward this case to engineering.
happened_at is null;
-- @refuse The event has no product. Forward this case to engineering.
product is null;
-- @refuse No tier has the product id {product}.
product is not null and tier is null;
-- @refuse This subscription belongs to another user, and usher never transfers a subscription by itself.
exists (select from public.iap_subscriptions s
         where s.original_transaction_id = facts.payload ->> 'original_transaction_id' and s.user_id <> facts.user_id);
-- @warn The database doesn't have this subscription, and this event doesn't create it.
event_type not in ('SUBSCRIBED', 'DID_RENEW')
and not exists (select from public.iap_subscriptions s where s.original_transaction_id = facts.payload ->> 'original_transaction_id');
-- @warn A newer event was already processed; usher only marks this event as processed.
superseded;
-- @warn The event was processed at {processed_at}; nothing will change.
processed_at is not null;
-- @do  The profile matches the store. A failed renewal or the end of a replaced subscription doesn't change the profile.
update public.profiles p
   set subscription_tier = case when n.pays then e.tier else p.subscription_tier end,
       subscription_status = case when n.pays then 'active' when e.event_type = 'CANCEL' then 'cancelled' else 'expired' end,
       subscription_end_date = coalesce((e.payload ->> 'expires_date')::timestamptz, p.subscription_end_date),
       subscription_cancelled_at = case when e.event_type = 'CANCEL' then e.happened_at
                                        when not n.pays then p.subscription_cancelled_at end,
       trial_converted = p.trial_converted or n.pays,
       is_partner = p.is_partner and not n.pays,
       partner_source = case when not n.pays then p.partner_source end
  from event e
 cross join lateral (select e.event_type in ('SUBSCRIBED', 'DID_RENEW')) as n (pays)
 where e.event_id = :key and e.processed_at is null and not e.superseded and p.id = e.user_id
   and (n.pays or e.event_type in ('CANCEL', 'EXPIRED', 'REFUNDED') and p.subscription_tier in ('foundation', 'mastery'));
-- @do  A purchase starts a month of quota, and so does a renewal if no month is running.
insert into public.impulse_quota as q (user_id, resets_at)
select e.user_id, :now + interval '1 month'
  from event e
 where e.event_id = :key and e.processed_at is null and not e.superseded and e.event_type in ('SUBSCRIBED', 'DID_RENEW')
   and (e.event_type = 'SUBSCRIBED'
        or not exists (select from public.impulse_quota k where k.user_id = e.user_id and k.resets_at > :now))
    on conflict (user_id) do update
   set impulses_used = 0, check_ins_used = 0, resets_at = excluded.resets_at;
-- @do  The store subscription changes, too. A cancellation only stops the renewal. Only a purchase or a renewal creates a row.
insert into public.iap_subscriptions as s (user_id, platform, platform_product_id, original_transaction_id, status, expires_date,
                                           auto_renew_enabled)
select e.user_id, e.payload ->> 'platform', e.product, e.payload ->> 'original_transaction_id',
       case e.event_type when 'DID_FAIL_TO_RENEW' then 'billing_retry' when 'EXPIRED' then 'expired' when 'REFUNDED' then 'expired'
                         else 'active' end,
       (e.payload ->> 'expires_date')::timestamptz, e.event_type in ('SUBSCRIBED', 'DID_RENEW', 'DID_FAIL_TO_RENEW')
  from event e
 where e.event_id = :key and e.processed_at is null and not e.superseded
   and (e.event_type in ('SUBSCRIBED', 'DID_RENEW')
        or exists (select from public.iap_subscriptions k where k.original_transaction_id = e.payload ->> 'original_transaction_id'))
    on conflict (original_transaction_id) do update
   set status = case when excluded.status = 'active' and not excluded.auto_renew_enabled then s.status else excluded.status end,
       platform_product_id = excluded.platform_product_id,
       expires_date = coalesce(excluded.expires_date, s.expires_date),
       auto_renew_enabled = excluded.auto_renew_enabled
 where s.user_id = excluded.user_id;
-- @do  A payment or a refund is recorded, even if the webhook is late.
insert into public.iap_transactions (user_id, subscription_id, platform, transaction_id, platform_product_id, kind, amount, environment,
                                     purchased_at, expires_date)
select e.user_id, s.id, s.platform, e.payload ->> 'transaction_id', e.product,
       case e.event_type when 'SUBSCRIBED' then 'purchase' when 'DID_RENEW' then 'renewal' else 'refund' end,
       case e.event_type when 'REFUNDED' then -c.monthly_price else c.monthly_price end, e.environment, e.happened_at,
       case when e.event_type <> 'REFUNDED' then (e.payload ->> 'expires_date')::timestamptz end
  from event e
  join public.subscription_config c on c.tier = e.tier
  join public.iap_subscriptions s on s.original_transaction_id = e.payload ->> 'original_transaction_id'
 where e.event_id = :key and e.processed_at is null and e.event_type in ('SUBSCRIBED', 'DID_RENEW', 'REFUNDED')
   and e.payload ->> 'transaction_id' is not null
    on conflict (transaction_id) do nothing;
-- @do  The event is marked as processed.
update public.iap_webhook_events set processed_at = :now where event_id = :key and processed_at is null;

-- @action event dismiss  Mark a store webhook as processed without processing it.
-- @role support
-- @on event
-- @grade moderate
-- @refuse The event was already processed, at {processed_at}.
processed_at is not null;
-- @do  The event is marked as processed, and its payload as dismissed.
update public.iap_webhook_events set processed_at = :now, payload = payload || jsonb_build_object('dismissed', true)
 where event_id = any(:keys) and processed_at is null;

-- @check webhooks  No store webhook waits longer than an hour.
-- @on event
-- @fix event replay
select e.event_id, u.email, e.event_type, e.environment, e.received_at
  from public.iap_webhook_events e
  left join (select u.id, u.email from users u
              where u.id in (select w.user_id from public.iap_webhook_events w where w.processed_at is null)) u on u.id = e.user_id
 where e.processed_at is null and e.received_at < :now - interval '1 hour';
