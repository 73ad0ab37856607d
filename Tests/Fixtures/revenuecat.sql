-- The table in which an app on Supabase usually stores the events of RevenueCat's webhook.
create table public.people (id uuid primary key, email text not null unique, created_at timestamptz not null default now());
create table public.revenuecat_events (
    id uuid primary key default gen_random_uuid(), event_id text not null unique, event_type text not null, app_user_id text,
    product_id text, environment text, payload jsonb not null, received_at timestamptz not null default now(), processed_at timestamptz
);
create index on public.revenuecat_events (app_user_id);
