-- A table for the webhook of RevenueCat with two main columns: the id of the event, and the body that RevenueCat sent.
create table public.people (id uuid primary key, email text not null unique, created_at timestamptz not null default now());
create table public.revenuecat_events (
    id text primary key, app_user_id text, type text, raw_event jsonb not null, created_at timestamptz not null default now()
);
create index on public.revenuecat_events (app_user_id);
