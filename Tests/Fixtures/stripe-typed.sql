-- The tables of Stripe's sync engine in their older form: a column for each value, and statuses as enums.
create schema stripe;
create type stripe.subscription_status as enum
    ('trialing', 'active', 'canceled', 'incomplete', 'incomplete_expired', 'past_due', 'unpaid', 'paused');
create type stripe.invoice_status as enum ('draft', 'open', 'paid', 'uncollectible', 'void');

create table stripe.customers (
    id text primary key, object text, address jsonb, description text, email text, metadata jsonb, name text, phone text, shipping jsonb,
    balance integer, created integer, currency text, default_source text, delinquent boolean, livemode boolean, tax_exempt text,
    deleted boolean, updated_at timestamptz not null default now()
);
create table stripe.products (id text primary key, active boolean, name text, metadata jsonb, created integer, livemode boolean);
create table stripe.prices (
    id text primary key, active boolean, currency text, metadata jsonb, nickname text, unit_amount integer, created integer,
    product text references stripe.products
);
create table stripe.subscriptions (
    id text primary key, cancel_at_period_end boolean, current_period_end integer, current_period_start integer,
    default_payment_method text, items jsonb, metadata jsonb, status stripe.subscription_status, cancel_at integer, canceled_at integer,
    collection_method text, created integer, ended_at integer, livemode boolean, trial_end jsonb, trial_start jsonb,
    customer text references stripe.customers, latest_invoice text, plan text
);
create table stripe.subscription_items (
    id text primary key, created integer, deleted boolean, metadata jsonb, quantity integer, price text references stripe.prices,
    subscription text references stripe.subscriptions
);
create table stripe.invoices (
    id text primary key, currency text, status stripe.invoice_status, total bigint, amount_due bigint, amount_paid bigint,
    amount_remaining bigint, billing_reason text, created integer, customer_email text, customer_name text, number text, metadata jsonb,
    hosted_invoice_url text, customer text references stripe.customers, subscription text references stripe.subscriptions
);
create table stripe.charges (
    id text primary key, paid boolean, amount bigint, status text, created integer, currency text, customer text references stripe.customers,
    failure_message text, amount_refunded bigint, receipt_email text, metadata jsonb, payment_intent text, invoice text
);
create table stripe.payment_intents (
    id text primary key, amount integer, client_secret text, created integer, currency text, customer text, receipt_email text, status text
);
create table stripe.payment_methods (id text primary key, type text, created integer, customer text, billing_details jsonb, card jsonb);
create table stripe.setup_intents (id text primary key, created integer, customer text, status text);
