-- The tables of LangChat, on top of a Supabase project: users and their languages, matches, and messages. The eleven tables of an
-- account are in the reverse order of their deletion.

-- ---- Users ----------------------------------------------------------------------------------------------------------------------

-- The phone writes the profile after the sign-in; no trigger does. Apple sends the name and the email only once, and only to the phone.
create table public.profiles (
    id         uuid primary key references auth.users on delete cascade,
    first_name text,
    last_name  text,
    email      text,
    bio        text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
);

create index profiles_email_idx on public.profiles (lower(email));

-- Invited people are known only by their email. Most of them are not users yet, so the column has no foreign key.
create table public.invites (
    id          uuid primary key default gen_random_uuid(),
    inviter_id  uuid not null references public.profiles on delete cascade,
    email       text not null check (email = lower(email)),
    created_at  timestamptz not null default now(),
    expires_at  timestamptz not null,
    accepted_at timestamptz,
    unique (inviter_id, email)
);

create index invites_email_idx on public.invites (email);

create table public.user_preferences (
    user_id       uuid primary key references public.profiles on delete cascade,
    discoverable  boolean not null default true,
    notifications boolean not null default true,
    age_from      smallint not null default 18 check (age_from >= 18),
    age_to        smallint not null default 99,
    updated_at    timestamptz not null default now(),
    check (age_to >= age_from)
);

create table public.user_languages (
    user_id  uuid not null references public.profiles on delete cascade,
    language text not null check (language ~ '^[a-z]{2}$'),
    level    text not null check (level in ('A1', 'A2', 'B1', 'B2', 'C1', 'C2', 'native')),
    learning boolean not null,
    primary key (user_id, language)
);


-- ---- Swipes and matches ---------------------------------------------------------------------------------------------------------

create table public.swipes (
    id         uuid primary key default gen_random_uuid(),
    swiper_id  uuid not null references public.profiles on delete cascade,
    swiped_id  uuid not null references public.profiles on delete cascade,
    liked      boolean not null,
    created_at timestamptz not null default now(),
    unique (swiper_id, swiped_id),
    check (swiper_id <> swiped_id)
);

create index swipes_swiped_id_idx on public.swipes (swiped_id);

-- Two users who liked each other. Matches, conversations and messages belong to two users, so no deletion of a user cascades to them.
create table public.matches (
    id         uuid primary key default gen_random_uuid(),
    user_a     uuid not null references public.profiles,
    user_b     uuid not null references public.profiles,
    created_at timestamptz not null default now(),
    unique (user_a, user_b),
    check (user_a < user_b)
);

create index matches_user_b_idx on public.matches (user_b);


-- ---- Conversations, questions and reports ---------------------------------------------------------------------------------------

create table public.feedback (
    id          uuid primary key default gen_random_uuid(),
    user_id     uuid not null references public.profiles on delete cascade,
    rating      smallint check (rating between 1 and 5),
    message     text not null,
    app_version text,
    created_at  timestamptz not null default now()
);

create index feedback_user_id_idx on public.feedback (user_id, created_at);

-- Questions of users to Muse, the assistant that helps them write.
create table public.muse_interactions (
    id         uuid primary key default gen_random_uuid(),
    user_id    uuid not null references public.profiles on delete cascade,
    kind       text not null check (kind in ('icebreaker', 'translation', 'correction', 'explanation')),
    prompt     text not null,
    answer     text,
    created_at timestamptz not null default now()
);

create index muse_interactions_user_id_idx on public.muse_interactions (user_id, created_at);

-- A report names two users. Either user can be without a profile, so there are no foreign keys.
create table public.reported_users (
    id          uuid primary key default gen_random_uuid(),
    reporter_id uuid not null,
    reported_id uuid not null,
    reason      text not null check (reason in ('spam', 'harassment', 'fake_profile', 'underage', 'other')),
    details     text,
    created_at  timestamptz not null default now(),
    reviewed_at timestamptz
);

create index reported_users_reporter_id_idx on public.reported_users (reporter_id);
create index reported_users_reported_id_idx on public.reported_users (reported_id, created_at);

create table public.conversations (
    id         uuid primary key default gen_random_uuid(),
    match_id   uuid not null unique references public.matches,
    user_a     uuid not null references public.profiles,
    user_b     uuid not null references public.profiles,
    created_at timestamptz not null default now()
);

create index conversations_user_a_idx on public.conversations (user_a);
create index conversations_user_b_idx on public.conversations (user_b);

create table public.messages (
    id              uuid primary key default gen_random_uuid(),
    conversation_id uuid not null references public.conversations,
    sender_id       uuid not null references public.profiles,
    body            text not null check (body <> ''),
    created_at      timestamptz not null default now(),
    read_at         timestamptz
);

create index messages_conversation_id_idx on public.messages (conversation_id, created_at);
create index messages_sender_id_idx on public.messages (sender_id, created_at);


-- ---- Triggers -------------------------------------------------------------------------------------------------------------------

create function public.touch_updated_at() returns trigger language plpgsql as $$
begin
    new.updated_at := now();
    return new;
end;
$$;

create trigger touch_updated_at before update on public.profiles
    for each row execute function public.touch_updated_at();
create trigger touch_updated_at before update on public.user_preferences
    for each row execute function public.touch_updated_at();


-- ---- Row policies: everybody can read profiles; users can read other rows only if the row names them ----------------------------

alter table public.profiles          enable row level security;
alter table public.invites           enable row level security;
alter table public.user_preferences  enable row level security;
alter table public.user_languages    enable row level security;
alter table public.swipes            enable row level security;
alter table public.matches           enable row level security;
alter table public.feedback          enable row level security;
alter table public.muse_interactions enable row level security;
alter table public.reported_users    enable row level security;
alter table public.conversations     enable row level security;
alter table public.messages          enable row level security;

create policy everyone_finds_profiles  on public.profiles       for select using (true);
create policy everyone_finds_languages on public.user_languages for select using (true);

create policy own_profile       on public.profiles          using (id = auth.uid()) with check (id = auth.uid());
create policy own_languages     on public.user_languages    using (user_id = auth.uid()) with check (user_id = auth.uid());
create policy own_preferences   on public.user_preferences  using (user_id = auth.uid()) with check (user_id = auth.uid());
create policy own_invites       on public.invites           using (inviter_id = auth.uid()) with check (inviter_id = auth.uid());
create policy own_swipes        on public.swipes            using (swiper_id = auth.uid()) with check (swiper_id = auth.uid());
create policy own_feedback      on public.feedback          using (user_id = auth.uid()) with check (user_id = auth.uid());
create policy own_muse          on public.muse_interactions using (user_id = auth.uid()) with check (user_id = auth.uid());
create policy own_reports       on public.reported_users    using (reporter_id = auth.uid()) with check (reporter_id = auth.uid());
create policy own_matches       on public.matches           using (auth.uid() in (user_a, user_b));
create policy own_conversations on public.conversations     using (auth.uid() in (user_a, user_b));
create policy read_messages     on public.messages for select
       using (exists (select from public.conversations c where c.id = conversation_id and auth.uid() in (c.user_a, c.user_b)));
create policy write_messages    on public.messages for insert
       with check (sender_id = auth.uid()
                   and exists (select from public.conversations c where c.id = conversation_id and auth.uid() in (c.user_a, c.user_b)));
create policy delete_messages   on public.messages for delete
       using (exists (select from public.conversations c where c.id = conversation_id and auth.uid() in (c.user_a, c.user_b)));
