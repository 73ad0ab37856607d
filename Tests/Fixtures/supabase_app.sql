-- The tables of an app on Supabase; sql/demo/supabase_schema.sql creates the other tables.
create table public.profiles (id uuid primary key references auth.users on delete cascade, username text unique, full_name text, avatar_url text, stripe_customer_id text, plan text not null default 'free' check (plan in ('free','pro','team')), trial_ends_at timestamptz, credits integer not null default 10, created_at timestamptz not null default now());
alter table public.profiles enable row level security;
create policy "own profile" on public.profiles for select using (auth.uid() = id);
create table public.subscriptions (id text primary key, user_id uuid not null references auth.users, status text check (status in ('trialing','active','canceled','past_due','unpaid')), price_id text, quantity integer, cancel_at_period_end boolean, current_period_end timestamptz not null default now(), created timestamptz not null default now());
create table public.documents (id uuid primary key default gen_random_uuid(), owner uuid references auth.users, title text, created_at timestamptz not null default now());
create table public.organizations (id uuid primary key default gen_random_uuid(), name text not null);
create table public.organization_members (organization_id uuid references organizations, user_id uuid references auth.users, role text not null default 'member', primary key (organization_id, user_id));
insert into auth.users (id, email, created_at) select gen_random_uuid(), 'u'||i||'@example.com', now()-i*interval '1 day' from generate_series(1,50) i;
insert into public.profiles select id, split_part(email,'@',1), null, null, 'cus_'||md5(id::text), 'pro', now(), 10 from auth.users;
insert into public.subscriptions select 'sub_'||md5(id::text), id, 'active','price_1',1,false,now()+interval '8 days' from auth.users;
analyze;
