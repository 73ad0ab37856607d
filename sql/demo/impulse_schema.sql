-- The tables of Impulse AI, on top of a Supabase project: users, tiers and quotas, store subscriptions, and the texts of users.

-- ---- Tiers ----------------------------------------------------------------------------------------------------------------------

-- The app reads this table on every request, so a new limit or trial length takes effect without a deployment.
create table public.subscription_config (
    tier           text primary key check (tier in ('trial', 'partner', 'foundation', 'mastery')),
    display_name   text not null,
    monthly_price  numeric(6, 2) not null default 0 check (monthly_price >= 0),
    product_id     text unique,
    impulse_limit  integer not null check (impulse_limit >= 0),
    check_in_limit integer not null check (check_in_limit >= 0),
    period         text not null check (period in ('total', 'month')),
    trial_days     integer not null default 0 check (trial_days between 0 and 365),
    updated_at     timestamptz not null default now()
);

insert into public.subscription_config (tier, display_name, monthly_price, product_id, impulse_limit, check_in_limit, period, trial_days)
values ('trial',      'Trial',    0, null,                     3,   7, 'total', 7),
       ('partner',    'Partner',  0, null,                    30,  90, 'month', 0),
       ('foundation', 'Impulse',  6, 'im.foundation.monthly', 30,  90, 'month', 0),
       ('mastery',    'Pro',     12, 'im.mastery.monthly',    60, 180, 'month', 0);


-- ---- Users ----------------------------------------------------------------------------------------------------------------------

create table public.profiles (
    id                        uuid primary key references auth.users on delete cascade,
    email                     text,
    notification_email        text,
    auth_provider             text check (auth_provider in ('apple', 'google')),
    subscription_tier         text not null default 'trial'
                              check (subscription_tier in ('trial', 'foundation', 'mastery', 'partner')),
    subscription_status       text not null default 'active'
                              check (subscription_status in ('active', 'expired', 'inactive', 'cancelled')),
    subscription_end_date     timestamptz,
    subscription_cancelled_at timestamptz,
    trial_started_at          timestamptz,
    trial_ends_at             timestamptz,
    trial_converted           boolean not null default false,
    is_partner                boolean not null default false,
    partner_source            text check (partner_source in ('influencer', 'beta_tester', 'ambassador', 'marketing')),
    created_at                timestamptz not null default now(),
    updated_at                timestamptz not null default now()
);

create index profiles_email_idx on public.profiles (lower(email));
create index profiles_notification_email_idx on public.profiles (lower(notification_email));
create index profiles_tier_status_idx on public.profiles (subscription_tier, subscription_status);
create index profiles_running_trials_idx on public.profiles (trial_ends_at)
    where subscription_tier = 'trial' and subscription_status = 'active';

-- The usage of a user in the current period. The app creates the row at the first use. In tiers with monthly limits, resets_at is the
-- time when the next month begins.
create table public.impulse_quota (
    user_id        uuid primary key references public.profiles on delete cascade,
    impulses_used  integer not null default 0 check (impulses_used >= 0),
    check_ins_used integer not null default 0 check (check_ins_used >= 0),
    resets_at      timestamptz,
    updated_at     timestamptz not null default now()
);


-- ---- The stores -----------------------------------------------------------------------------------------------------------------

-- Store subscriptions of paying users. The status has the words of the store; the profile has a simplified status.
create table public.iap_subscriptions (
    id                      uuid primary key default gen_random_uuid(),
    user_id                 uuid not null references public.profiles on delete cascade,
    platform                text not null check (platform in ('ios', 'android')),
    platform_product_id     text not null,
    original_transaction_id text not null unique,
    status                  text not null check (status in ('active', 'grace_period', 'billing_retry', 'expired')),
    expires_date            timestamptz,
    auto_renew_enabled      boolean not null default true,
    created_at              timestamptz not null default now(),
    updated_at              timestamptz not null default now()
);

create index iap_subscriptions_user_id_idx on public.iap_subscriptions (user_id);
create index iap_subscriptions_status_idx on public.iap_subscriptions (status, expires_date);

-- Payments stay when the account is deleted.
create table public.iap_transactions (
    id                  uuid primary key default gen_random_uuid(),
    user_id             uuid references public.profiles on delete set null,
    subscription_id     uuid references public.iap_subscriptions on delete set null,
    platform            text not null check (platform in ('ios', 'android')),
    transaction_id      text not null unique,
    platform_product_id text not null,
    kind                text not null check (kind in ('purchase', 'renewal', 'refund')),
    amount              numeric(10, 2) not null,
    currency            char(3) not null default 'USD',
    environment         text not null default 'production' check (environment in ('production', 'sandbox')),
    purchased_at        timestamptz not null,
    expires_date        timestamptz,
    created_at          timestamptz not null default now()
);

create index iap_transactions_user_id_idx on public.iap_transactions (user_id, purchased_at);
create index iap_transactions_subscription_id_idx on public.iap_transactions (subscription_id);

-- Webhooks as received; event_id detects repeated webhooks. The user can be unknown or deleted, so there is no foreign key.
create table public.iap_webhook_events (
    id           bigint generated always as identity primary key,
    event_id     text not null unique,
    event_type   text not null
                 check (event_type in ('SUBSCRIBED', 'DID_RENEW', 'DID_FAIL_TO_RENEW', 'CANCEL', 'EXPIRED', 'REFUNDED')),
    environment  text not null check (environment in ('production', 'sandbox')),
    user_id      uuid,
    payload      jsonb not null,
    received_at  timestamptz not null default now(),
    processed_at timestamptz
);

create index iap_webhook_events_user_id_idx on public.iap_webhook_events (user_id, received_at);
create index iap_webhook_events_unprocessed_idx on public.iap_webhook_events (received_at) where processed_at is null;


-- ---- What users write -----------------------------------------------------------------------------------------------------------

create table public.impulses (
    id         uuid primary key default gen_random_uuid(),
    user_id    uuid not null references public.profiles on delete cascade,
    title      text not null check (title <> ''),
    body       text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
);

create index impulses_user_id_idx on public.impulses (user_id, created_at);

create table public.check_ins (
    id         uuid primary key default gen_random_uuid(),
    user_id    uuid not null references public.profiles on delete cascade,
    impulse_id uuid references public.impulses on delete set null,
    mood       smallint not null check (mood between 1 and 5),
    note       text,
    created_at timestamptz not null default now()
);

create index check_ins_user_id_idx on public.check_ins (user_id, created_at);
create index check_ins_impulse_id_idx on public.check_ins (impulse_id);


-- ---- Triggers -------------------------------------------------------------------------------------------------------------------

create function public.touch_updated_at() returns trigger language plpgsql as $$
begin
    new.updated_at := now();
    return new;
end;
$$;

create trigger touch_updated_at before update on public.subscription_config
    for each row execute function public.touch_updated_at();
create trigger touch_updated_at before update on public.profiles
    for each row execute function public.touch_updated_at();
create trigger touch_updated_at before update on public.impulse_quota
    for each row execute function public.touch_updated_at();
create trigger touch_updated_at before update on public.iap_subscriptions
    for each row execute function public.touch_updated_at();
create trigger touch_updated_at before update on public.impulses
    for each row execute function public.touch_updated_at();

-- Creates a profile with a trial for each new login. If the profile already exists, the sign-up still succeeds.
create function public.handle_new_user() returns trigger language plpgsql security definer set search_path = '' as $$
declare
    provider text := new.raw_app_meta_data ->> 'provider';
    trial    interval := (select make_interval(days => c.trial_days) from public.subscription_config c where c.tier = 'trial');
begin
    insert into public.profiles (id, email, auth_provider, trial_started_at, trial_ends_at)
    values (new.id, new.email, case when provider in ('apple', 'google') then provider end, now(), now() + trial)
        on conflict (id) do nothing;
    return new;
end;
$$;

create trigger on_auth_user_created after insert on auth.users
    for each row execute function public.handle_new_user();


-- ---- Row policies: users see their own rows, and write only their own content --------------------------------------------------

alter table public.subscription_config enable row level security;
alter table public.profiles            enable row level security;
alter table public.impulse_quota       enable row level security;
alter table public.iap_subscriptions   enable row level security;
alter table public.iap_transactions    enable row level security;
alter table public.iap_webhook_events  enable row level security;
alter table public.impulses            enable row level security;
alter table public.check_ins           enable row level security;

create policy everyone_reads_limits on public.subscription_config for select using (true);
create policy own_profile           on public.profiles            for select using (id = auth.uid());
create policy own_quota             on public.impulse_quota       for select using (user_id = auth.uid());
create policy own_subscriptions     on public.iap_subscriptions   for select using (user_id = auth.uid());
create policy own_transactions      on public.iap_transactions    for select using (user_id = auth.uid());
create policy own_impulses          on public.impulses            using (user_id = auth.uid()) with check (user_id = auth.uid());
create policy own_check_ins         on public.check_ins           using (user_id = auth.uid()) with check (user_id = auth.uid());
