-- The tables of xtablo, on top of a Supabase project: organisations, their members, and subscriptions through Stripe and Apple.

-- ---- Users ----------------------------------------------------------------------------------------------------------------------

create table public.profiles (
    id         uuid primary key references auth.users on delete cascade,
    email      text,
    name       text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
);

create index profiles_email_idx on public.profiles (lower(email));


-- ---- Organisations --------------------------------------------------------------------------------------------------------------

-- The billing owner pays for all members. The required plan depends on the number of members and is not stored.
create table public.organizations (
    id               uuid primary key default gen_random_uuid(),
    name             text not null check (name <> ''),
    billing_owner_id uuid references public.profiles on delete cascade,
    trial_starts_at  timestamptz,
    trial_ends_at    timestamptz,
    created_at       timestamptz not null default now(),
    updated_at       timestamptz not null default now(),
    check (trial_ends_at >= trial_starts_at)
);

create index organizations_billing_owner_id_idx on public.organizations (billing_owner_id);

create table public.organization_members (
    organization_id uuid not null references public.organizations on delete cascade,
    user_id         uuid not null references public.profiles on delete cascade,
    role            text not null default 'member' check (role in ('admin', 'member')),
    created_at      timestamptz not null default now(),
    primary key (organization_id, user_id)
);

create index organization_members_user_id_idx on public.organization_members (user_id);

-- An invitation goes to an email, even if no user has this email yet.
create table public.organization_invites (
    id              uuid primary key default gen_random_uuid(),
    organization_id uuid not null references public.organizations on delete cascade,
    email           text not null,
    invited_by      uuid references public.profiles on delete set null,
    created_at      timestamptz not null default now(),
    accepted_at     timestamptz
);

create index organization_invites_organization_id_idx on public.organization_invites (organization_id);
create index organization_invites_invited_by_idx on public.organization_invites (invited_by);
create index organization_invites_email_idx on public.organization_invites (email);

-- The tablos, on which the members of an organisation work together.
create table public.tablos (
    id              uuid primary key default gen_random_uuid(),
    organization_id uuid not null references public.organizations on delete cascade,
    created_by      uuid references public.profiles on delete set null,
    title           text not null check (title <> ''),
    created_at      timestamptz not null default now(),
    updated_at      timestamptz not null default now()
);

create index tablos_organization_id_idx on public.tablos (organization_id);
create index tablos_created_by_idx on public.tablos (created_by, created_at);


-- ---- Stripe ---------------------------------------------------------------------------------------------------------------------

create table public.stripe_customers (
    user_id            uuid primary key references public.profiles on delete cascade,
    stripe_customer_id text not null unique,
    created_at         timestamptz not null default now()
);

-- The state of each subscription, from the events of Stripe and in the words of Stripe.
create table public.stripe_subscriptions (
    id                   text primary key,
    owner_user_id        uuid not null references public.profiles on delete cascade,
    stripe_customer_id   text not null,
    plan                 text not null check (plan in ('solo', 'team', 'annual')),
    status               text not null
                         check (status in ('active', 'trialing', 'past_due', 'unpaid', 'paused', 'incomplete', 'incomplete_expired',
                                           'canceled')),
    quantity             integer not null default 1 check (quantity > 0),
    livemode             boolean not null default true,
    current_period_start timestamptz,
    current_period_end   timestamptz,
    cancel_at_period_end boolean not null default false,
    created_at           timestamptz not null default now(),
    updated_at           timestamptz not null default now()
);

create index stripe_subscriptions_owner_user_id_idx on public.stripe_subscriptions (owner_user_id);
create index stripe_subscriptions_status_idx on public.stripe_subscriptions (status, current_period_end);


-- ---- Apple, through RevenueCat --------------------------------------------------------------------------------------------------

create table public.apple_customers (
    id                     uuid primary key default gen_random_uuid(),
    user_id                uuid not null unique references public.profiles on delete cascade,
    revenuecat_app_user_id text not null unique,
    original_app_user_id   text,
    last_seen_environment  text check (last_seen_environment in ('production', 'sandbox')),
    created_at             timestamptz not null default now(),
    updated_at             timestamptz not null default now()
);

create table public.apple_subscriptions (
    id                      uuid primary key default gen_random_uuid(),
    owner_user_id           uuid not null references public.profiles on delete cascade,
    revenuecat_app_user_id  text not null,
    store_product_id        text not null,
    plan                    text not null check (plan in ('solo', 'team', 'annual')),
    status                  text not null
                            check (status in ('active', 'trialing', 'grace_period', 'billing_retry', 'expired', 'revoked', 'refunded')),
    environment             text not null check (environment in ('production', 'sandbox')),
    store                   text not null default 'app_store',
    original_transaction_id text not null unique,
    transaction_id          text,
    current_period_start    timestamptz,
    current_period_end      timestamptz,
    cancel_at_period_end    boolean not null default false,
    revoked_at              timestamptz,
    raw_customer_id         text,
    last_event_type         text,
    created_at              timestamptz not null default now(),
    updated_at              timestamptz not null default now()
);

create index apple_subscriptions_owner_user_id_idx on public.apple_subscriptions (owner_user_id);
create index apple_subscriptions_status_idx on public.apple_subscriptions (status);
create index apple_subscriptions_current_period_end_idx on public.apple_subscriptions (current_period_end);

-- The whole body of each webhook, as received; event_id detects repeated webhooks. The user can be unknown or deleted, so there is
-- no foreign key.
create table public.apple_subscription_events (
    id           uuid primary key default gen_random_uuid(),
    event_id     text not null unique,
    event_type   text not null,
    environment  text check (environment in ('production', 'sandbox')),
    payload      jsonb not null,
    received_at  timestamptz not null default now(),
    processed_at timestamptz
);

create index apple_subscription_events_unprocessed_idx on public.apple_subscription_events (received_at) where processed_at is null;
create index apple_subscription_events_app_user_id_idx on public.apple_subscription_events ((payload -> 'event' ->> 'app_user_id'));
create index apple_subscription_events_transaction_idx on public.apple_subscription_events
    ((payload -> 'event' ->> 'original_transaction_id'));


-- ---- Triggers -------------------------------------------------------------------------------------------------------------------

create function public.touch_updated_at() returns trigger language plpgsql as $$
begin
    new.updated_at := now();
    return new;
end;
$$;

create trigger touch_updated_at before update on public.profiles
    for each row execute function public.touch_updated_at();
create trigger touch_updated_at before update on public.organizations
    for each row execute function public.touch_updated_at();
create trigger touch_updated_at before update on public.tablos
    for each row execute function public.touch_updated_at();
create trigger touch_updated_at before update on public.stripe_subscriptions
    for each row execute function public.touch_updated_at();
create trigger touch_updated_at before update on public.apple_customers
    for each row execute function public.touch_updated_at();
create trigger touch_updated_at before update on public.apple_subscriptions
    for each row execute function public.touch_updated_at();

-- Creates a profile for each new login. If the profile already exists, the sign-up still succeeds.
create function public.handle_new_user() returns trigger language plpgsql security definer set search_path = '' as $$
begin
    insert into public.profiles (id, email, name)
    values (new.id, new.email, new.raw_user_meta_data ->> 'full_name')
        on conflict (id) do nothing;
    return new;
end;
$$;

create trigger on_auth_user_created after insert on auth.users
    for each row execute function public.handle_new_user();


-- ---- Row policies: members see their organisation, owners see their subscriptions -----------------------------------------------

alter table public.profiles                  enable row level security;
alter table public.organizations             enable row level security;
alter table public.organization_members      enable row level security;
alter table public.organization_invites      enable row level security;
alter table public.tablos                    enable row level security;
alter table public.stripe_customers          enable row level security;
alter table public.stripe_subscriptions      enable row level security;
alter table public.apple_customers           enable row level security;
alter table public.apple_subscriptions       enable row level security;
alter table public.apple_subscription_events enable row level security;

-- The function runs with the rights of its owner. Otherwise the policy, which reads its own table, would call itself without end.
create function public.is_member(organization uuid) returns boolean language sql stable security definer set search_path = '' as $$
    select exists (select from public.organization_members m where m.organization_id = organization and m.user_id = auth.uid())
$$;

create policy own_profile             on public.profiles             for select using (id = auth.uid());
create policy own_organization        on public.organizations        for select using (public.is_member(id));
create policy fellow_members          on public.organization_members for select using (public.is_member(organization_id));
create policy own_invites             on public.organization_invites for select using (public.is_member(organization_id));
create policy own_tablos              on public.tablos               using (public.is_member(organization_id))
                                                                     with check (public.is_member(organization_id));
create policy own_stripe_customer     on public.stripe_customers     for select using (user_id = auth.uid());
create policy own_stripe_subscription on public.stripe_subscriptions for select using (owner_user_id = auth.uid());
create policy own_apple_customer      on public.apple_customers      for select using (user_id = auth.uid());
create policy own_apple_subscription  on public.apple_subscriptions  for select using (owner_user_id = auth.uid());
