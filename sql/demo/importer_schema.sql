-- The tables of Pro Import Tools, on top of a Supabase project: entitlements, free trials, unlock codes, and the last known state of
-- each product in the store.

-- ---- The store ------------------------------------------------------------------------------------------------------------------

-- The states in which the paywall can find the store. In the states failed and empty, users can't buy; only the message differs.
create type public.store_state as enum ('loading', 'loaded', 'failed', 'empty', 'purchasing', 'pending', 'purchase_failed');

-- The products that the paywall offers, with their last known state. The state is NULL until an app first asks for the product.
create table public.store_products (
    product_id text primary key,
    title      text not null,
    state      public.store_state,
    message    text,
    checked_at timestamptz,
    created_at timestamptz not null default now(),
    check ((state is null) = (checked_at is null))
);


-- ---- Users ----------------------------------------------------------------------------------------------------------------------

create table public.profiles (
    id         uuid primary key references auth.users on delete cascade,
    email      text,
    name       text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
);

create index profiles_email_idx on public.profiles (lower(email));

-- Users can redeem a code until it expires, is revoked, or has no uses left. Only the hash is stored, so nobody can read the code.
create table public.unlock_codes (
    id         bigint generated always as identity primary key,
    code_hash  text not null unique check (code_hash ~ '^[0-9a-f]{64}$'),
    label      text,
    uses       integer not null default 1 check (uses > 0),
    used       integer not null default 0 check (used between 0 and uses),
    expires_at timestamptz,
    revoked_at timestamptz,
    created_at timestamptz not null default now()
);

-- One row per user, pro or not. The source stays when pro ends, so that support can see how the user became pro.
create table public.entitlements (
    user_id        uuid primary key references public.profiles on delete cascade,
    is_pro         boolean not null default false,
    source         text check (source in ('store', 'restore', 'unlock_code', 'admin')),
    unlock_code_id bigint references public.unlock_codes on delete set null,
    expires_at     timestamptz,
    granted_at     timestamptz,
    updated_at     timestamptz not null default now()
);

create index entitlements_unlock_code_id_idx on public.entitlements (unlock_code_id);
create index entitlements_expires_at_idx on public.entitlements (expires_at) where is_pro;

-- A user without a row has never had a trial and can start a trial.
create table public.trial_eligibility (
    user_id    uuid primary key references public.profiles on delete cascade,
    eligible   boolean not null default true,
    used_at    timestamptz,
    reset_at   timestamptz,
    updated_at timestamptz not null default now()
);


-- ---- Triggers -------------------------------------------------------------------------------------------------------------------

create function public.touch_updated_at() returns trigger language plpgsql as $$
begin
    new.updated_at := now();
    return new;
end;
$$;

create trigger touch_updated_at before update on public.profiles
    for each row execute function public.touch_updated_at();
create trigger touch_updated_at before update on public.entitlements
    for each row execute function public.touch_updated_at();
create trigger touch_updated_at before update on public.trial_eligibility
    for each row execute function public.touch_updated_at();

-- Creates a profile for each new login, and an entitlement without pro.
create function public.handle_new_user() returns trigger language plpgsql security definer set search_path = '' as $$
begin
    insert into public.profiles (id, email, name) values (new.id, new.email, new.raw_user_meta_data ->> 'full_name')
        on conflict (id) do nothing;
    insert into public.entitlements (user_id) values (new.id)
        on conflict (user_id) do nothing;
    return new;
end;
$$;

create trigger on_auth_user_created after insert on auth.users
    for each row execute function public.handle_new_user();


-- ---- Row policies: users read their own rows, everybody reads products, nobody reads codes --------------------------------------

alter table public.store_products    enable row level security;
alter table public.profiles          enable row level security;
alter table public.unlock_codes      enable row level security;
alter table public.entitlements      enable row level security;
alter table public.trial_eligibility enable row level security;

create policy everyone_reads_products on public.store_products    for select using (true);
create policy own_profile             on public.profiles          for select using (id = auth.uid());
create policy own_entitlement         on public.entitlements      for select using (user_id = auth.uid());
create policy own_trial               on public.trial_eligibility for select using (user_id = auth.uid());
