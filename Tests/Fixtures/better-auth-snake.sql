-- The tables of Better Auth as Drizzle creates them, with names in snake case and keys of another type.
create table "user" (
    id uuid primary key default gen_random_uuid(), name text not null, email text not null unique,
    email_verified boolean not null default false, image text, created_at timestamp not null default now(),
    updated_at timestamp not null default now()
);
create table "session" (
    id uuid primary key default gen_random_uuid(), expires_at timestamp not null, token text not null unique,
    created_at timestamp not null default now(), updated_at timestamp not null default now(), ip_address text, user_agent text,
    user_id uuid not null references "user" on delete cascade
);
create table "account" (
    id uuid primary key default gen_random_uuid(), account_id text not null, provider_id text not null,
    user_id uuid not null references "user" on delete cascade, access_token text, refresh_token text, id_token text,
    access_token_expires_at timestamp, refresh_token_expires_at timestamp, scope text, password text,
    created_at timestamp not null default now(), updated_at timestamp not null default now()
);
create table "verification" (
    id uuid primary key default gen_random_uuid(), identifier text not null, value text not null, expires_at timestamp not null,
    created_at timestamp not null default now(), updated_at timestamp not null default now()
);
