-- The tables of the Stripe sync engine in the schema stripe. Older versions of the engine store each value in a separate column, and
-- newer versions store each object as one JSON document. Times are seconds since 1970; amounts are in the smallest unit of the currency.

-- @app stripe  Stripe sync engine
-- @requires stripe.charges
-- @requires stripe.customers
-- @requires stripe.invoices
-- @requires stripe.prices
-- @requires stripe.products
-- @requires stripe.subscription_items
-- @requires stripe.subscriptions

-- A customer belongs to the user in its metadata (user_id), or else to the user with the same email. @users needs the columns id
-- and email. If your app stores the id of the customer, write your own @define customer with the same columns, which replaces this
-- block. For deleting accounts, add a @refers line from stripe.customers.email or stripe.customers (metadata ->> 'user_id') to your
-- table of users.

-- @define customer (user_id, customer_id, name, email)  The Stripe customers of each user.
select u.id, c.id, c.name, c.email
  from users u
  join stripe.customers c on c.metadata ->> 'user_id' = u.id::text
 union all
select u.id, c.id, c.name, c.email
  from users u
  join stripe.customers c on lower(c.email) = lower(u.email)
 where c.metadata ->> 'user_id' is null;

-- @object subscription  A subscription at Stripe.
-- @key id
-- @user user_id
-- @columns id, status, plan, current_period_end
select s.id, c.user_id, s.customer, s.status::text as status, i.plan, i.quantity, to_timestamp(s.created) as created_at,
       to_timestamp(s.current_period_start) as current_period_start, to_timestamp(s.current_period_end) as current_period_end,
       s.cancel_at_period_end, to_timestamp(s.canceled_at) as canceled_at, to_timestamp(s.ended_at) as ended_at, s.livemode
  from stripe.subscriptions s
  left join customer c on c.customer_id = s.customer
  left join lateral (select string_agg(coalesce(p.name, r.nickname, t.price), ', ' order by t.id) as plan, sum(t.quantity)::int as quantity
                       from stripe.subscription_items t
                       left join stripe.prices r on r.id = t.price
                       left join stripe.products p on p.id = r.product
                      where t.subscription = s.id and t.deleted is not true) as i on true;

-- @select paying  Subscriptions that count as paid.
status in ('active', 'trialing', 'past_due');

-- @select ending  Subscriptions that will not be renewed.
status in ('active', 'trialing') and cancel_at_period_end;

-- @decision subscription  Does this user have a subscription at Stripe?
-- If a user has several subscriptions, the order is: paid, trial, late, all others. Among several with the same status, the newest comes first.
select u.id, u.email, s.id as subscription_id, s.status, coalesce(s.plan, s.id) as plan, s.current_period_end,
       s.cancel_at_period_end, s.canceled_at, s.ended_at,
       (select count(*) from customer c where c.user_id = u.id) as customers
  from users u
  left join lateral (select *
                       from subscription s
                      where s.user_id = u.id
                      order by array_position(array['active', 'trialing', 'past_due'], s.status), s.created_at desc
                      limit 1) as s on true;

-- @rule none  Stripe has no customer for this user.
customers = 0;

-- @rule none  Stripe has a customer for this user, but no subscription.
-- @advice See other payments: `user show {email}`
subscription_id is null;

-- @rule trial  This user has a trial of {plan}, until {current_period_end}.
status = 'trialing';

-- @rule paying  This user pays for {plan}.
status = 'active';
-- @because  This user pays for {plan}; the subscription is cancelled and runs until {current_period_end}.
-- @advice To keep the plan, the user renews the subscription in the customer portal before that date.
cancel_at_period_end;
-- @because  This user pays for {plan}; the current period runs until {current_period_end}.
true;

-- @rule late  The last payment for {plan} failed, and Stripe will try again.
-- @advice The user updates the card in the customer portal.
-- @advice See the open invoice: `user show {email}`
status = 'past_due';

-- @rule paused  {plan} is paused: its trial ended without a payment method. Stripe charges nothing until the customer adds a payment method.
-- @advice The user adds a card in the customer portal.
status = 'paused';

-- @rule ended  {plan} has ended, with status {status}.
true;
-- @because  The first payment for {plan} never arrived.
status in ('incomplete', 'incomplete_expired');
-- @because  {plan} was not paid, and Stripe no longer tries to charge.
-- @advice See the open invoice: `user show {email}`
status = 'unpaid';
-- @because  {plan} ended at {ended_at}.
ended_at is not null;

-- @panel Subscriptions
-- @explains subscription
-- @limit 10
select s.plan, s.status, s.quantity, s.current_period_end, s.cancel_at_period_end as ends, s.created_at as since, s.id
  from subscription s
 where s.user_id = :user
 order by s.created_at desc, s.id;

-- @panel Invoices
-- @limit 12
select to_timestamp(i.created) as at, i.number, i.status::text as status, (i.total / 100.0)::numeric(14, 2) as total,
       (i.amount_remaining / 100.0)::numeric(14, 2) as still_to_pay, upper(i.currency) as currency, i.billing_reason, i.id
  from customer c
  join stripe.invoices i on i.customer = c.customer_id
 where c.user_id = :user
 order by i.created desc, i.id;

-- @panel Payments
-- @limit 12
select to_timestamp(h.created) as at, h.status, (h.amount / 100.0)::numeric(14, 2) as amount,
       (h.amount_refunded / 100.0)::numeric(14, 2) as refunded, upper(h.currency) as currency, h.failure_message, h.id
  from customer c
  join stripe.charges h on h.customer = c.customer_id
 where c.user_id = :user
 order by h.created desc, h.id;

-- @timeline stripe
select d.at, 'stripe' as kind, d.title, concat_ws(', ', s.plan, s.id) as detail
  from subscription s
 cross join lateral (values (s.created_at, 'subscribed'), (s.canceled_at, 'cancelled'), (s.ended_at, 'subscription ended')) as d (at, title)
 where s.user_id = :user and d.at <= :now
 union all
select to_timestamp(h.created), 'stripe', 'payment ' || h.status, concat_ws(', ', upper(h.currency), h.amount / 100.0, h.id)
  from customer c
  join stripe.charges h on h.customer = c.customer_id
 where c.user_id = :user;

-- @stat subscriptions  Subscriptions at Stripe by status.
select s.status as label, count(*) as value from subscription s group by 1 order by 2 desc, 1;

-- @account
-- @optional stripe.payment_intents
-- @optional stripe.payment_methods
-- @optional stripe.setup_intents
-- @optional stripe.setup_intents.client_secret: text
-- @optional stripe.checkout_sessions
-- @optional stripe.subscription_schedules
-- @optional stripe.tax_ids
-- @optional stripe.credit_notes
-- @optional stripe.active_entitlements
-- @refers stripe.subscriptions.customer -> stripe.customers.id
-- @refers stripe.subscription_items.subscription -> stripe.subscriptions.id
-- @refers stripe.invoices.customer -> stripe.customers.id
-- @refers stripe.charges.customer -> stripe.customers.id
-- @refers stripe.payment_intents.customer -> stripe.customers.id
-- @refers stripe.payment_methods.customer -> stripe.customers.id
-- @refers stripe.setup_intents.customer -> stripe.customers.id
-- @refers stripe.checkout_sessions.customer -> stripe.customers.id
-- @refers stripe.subscription_schedules.customer -> stripe.customers.id
-- @refers stripe.tax_ids.customer -> stripe.customers.id
-- @refers stripe.credit_notes.customer -> stripe.customers.id
-- @refers stripe.active_entitlements.customer -> stripe.customers.id
-- @ignore stripe.*._account_id : The column contains the id of the seller's account at Stripe.
-- @ignore stripe.*.customer_email : The column contains the email of the row's own customer.
-- @ignore stripe.*.receipt_email : The column contains the email of the row's own customer.
-- @secret stripe.payment_intents.client_secret
-- @secret stripe.setup_intents.client_secret
-- @secret stripe.checkout_sessions.client_secret
