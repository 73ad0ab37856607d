-- The tables of StrikeLab, on top of a Supabase project: users and their progress. Subscriptions are at RevenueCat.

-- ---- Users ----------------------------------------------------------------------------------------------------------------------

-- After the sign-in the app creates the rows of this table and of the tables below. No trigger does this. If rows are missing, the app
-- can create them later.
create table public.users (
    id         uuid primary key references auth.users on delete cascade,
    email      text,
    stance     text not null default 'orthodox' check (stance in ('orthodox', 'southpaw', 'switch')),
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
);

create index users_email_idx on public.users (lower(email));


-- ---- Progress -------------------------------------------------------------------------------------------------------------------

-- One row per user, with the level and the points towards the next level, for each of the nine categories.
create table public.user_levels (
    user_id         uuid primary key references public.users on delete cascade,
    punches_level   integer not null default 1 check (punches_level > 0),
    punches_xp      integer not null default 0 check (punches_xp >= 0),
    kicks_level     integer not null default 1 check (kicks_level > 0),
    kicks_xp        integer not null default 0 check (kicks_xp >= 0),
    elbows_level    integer not null default 1 check (elbows_level > 0),
    elbows_xp       integer not null default 0 check (elbows_xp >= 0),
    knees_level     integer not null default 1 check (knees_level > 0),
    knees_xp        integer not null default 0 check (knees_xp >= 0),
    footwork_level  integer not null default 1 check (footwork_level > 0),
    footwork_xp     integer not null default 0 check (footwork_xp >= 0),
    clinch_level    integer not null default 1 check (clinch_level > 0),
    clinch_xp       integer not null default 0 check (clinch_xp >= 0),
    defensive_level integer not null default 1 check (defensive_level > 0),
    defensive_xp    integer not null default 0 check (defensive_xp >= 0),
    sweeps_level    integer not null default 1 check (sweeps_level > 0),
    sweeps_xp       integer not null default 0 check (sweeps_xp >= 0),
    feints_level    integer not null default 1 check (feints_level > 0),
    feints_xp       integer not null default 0 check (feints_xp >= 0),
    updated_at      timestamptz not null default now()
);

-- Nine rows per user, one for each category.
create table public.category_progress (
    user_id    uuid not null references public.users on delete cascade,
    name       text not null
               check (name in ('punches', 'kicks', 'elbows', 'knees', 'footwork', 'clinch', 'defensive', 'sweeps', 'feints')),
    xp         integer not null default 0 check (xp >= 0),
    level      integer not null default 1 check (level > 0),
    updated_at timestamptz not null default now(),
    primary key (user_id, name)
);

-- One row per user for the day of the sign-up and for each day with training.
create table public.daily_xp_tracker (
    user_id       uuid not null references public.users on delete cascade,
    date          date not null,
    workout_count integer not null default 0 check (workout_count >= 0),
    primary key (user_id, date)
);

-- Workouts that users created for themselves.
create table public.workouts (
    id         uuid primary key default gen_random_uuid(),
    user_id    uuid not null references public.users on delete cascade,
    title      text not null check (title <> ''),
    rounds     integer not null default 3 check (rounds between 1 and 20),
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
);

create index workouts_user_id_idx on public.workouts (user_id, created_at);


-- ---- Triggers -------------------------------------------------------------------------------------------------------------------

create function public.touch_updated_at() returns trigger language plpgsql as $$
begin
    new.updated_at := now();
    return new;
end;
$$;

create trigger touch_updated_at before update on public.users
    for each row execute function public.touch_updated_at();
create trigger touch_updated_at before update on public.user_levels
    for each row execute function public.touch_updated_at();
create trigger touch_updated_at before update on public.category_progress
    for each row execute function public.touch_updated_at();
create trigger touch_updated_at before update on public.workouts
    for each row execute function public.touch_updated_at();


-- ---- Row policies: users see and write their own rows ---------------------------------------------------------------------------

alter table public.users             enable row level security;
alter table public.user_levels       enable row level security;
alter table public.category_progress enable row level security;
alter table public.daily_xp_tracker  enable row level security;
alter table public.workouts          enable row level security;

create policy own_profile  on public.users             using (id = auth.uid())      with check (id = auth.uid());
create policy own_levels   on public.user_levels       using (user_id = auth.uid()) with check (user_id = auth.uid());
create policy own_progress on public.category_progress using (user_id = auth.uid()) with check (user_id = auth.uid());
create policy own_days     on public.daily_xp_tracker  using (user_id = auth.uid()) with check (user_id = auth.uid());
create policy own_workouts on public.workouts          using (user_id = auth.uid()) with check (user_id = auth.uid());
