-- A copy of the auth and storage schemas of a Supabase project: the same tables, columns, types, keys, ON DELETE actions and
-- protection triggers. So commands that work on the demo work on a hosted project. The copy leaves out SSO and SAML providers,
-- passkeys, OAuth consents, and the analytics and vector buckets.

create schema auth;
create schema storage;


-- ---- auth -----------------------------------------------------------------------------------------------------------------------

create type auth.aal_level as enum ('aal1', 'aal2', 'aal3');
create type auth.code_challenge_method as enum ('s256', 'plain');
create type auth.factor_status as enum ('unverified', 'verified');
create type auth.factor_type as enum ('totp', 'webauthn', 'phone');
create type auth.one_time_token_type as enum (
    'confirmation_token', 'reauthentication_token', 'recovery_token',
    'email_change_token_new', 'email_change_token_current', 'phone_change_token'
);

create table auth.users (
    instance_id                 uuid,
    id                          uuid primary key,
    aud                         varchar(255),
    role                        varchar(255),
    email                       varchar(255),
    encrypted_password          varchar(255),
    email_confirmed_at          timestamptz,
    invited_at                  timestamptz,
    confirmation_token          varchar(255),
    confirmation_sent_at        timestamptz,
    recovery_token              varchar(255),
    recovery_sent_at            timestamptz,
    email_change_token_new      varchar(255),
    email_change                varchar(255),
    email_change_sent_at        timestamptz,
    last_sign_in_at             timestamptz,
    raw_app_meta_data           jsonb,
    raw_user_meta_data          jsonb,
    is_super_admin              boolean,
    created_at                  timestamptz,
    updated_at                  timestamptz,
    phone                       text default null unique,
    phone_confirmed_at          timestamptz,
    phone_change                text default '',
    phone_change_token          varchar(255) default '',
    phone_change_sent_at        timestamptz,
    confirmed_at                timestamptz generated always as (least(email_confirmed_at, phone_confirmed_at)) stored,
    email_change_token_current  varchar(255) default '',
    email_change_confirm_status smallint default 0 check (email_change_confirm_status between 0 and 2),
    banned_until                timestamptz,
    reauthentication_token      varchar(255) default '',
    reauthentication_sent_at    timestamptz,
    is_sso_user                 boolean not null default false,
    deleted_at                  timestamptz,
    is_anonymous                boolean not null default false
);

-- One account per email, except for accounts of single sign-on.
create unique index users_email_partial_key on auth.users (email) where is_sso_user = false;
create index users_instance_id_email_idx on auth.users (instance_id, lower(email::text));
create index users_instance_id_idx on auth.users (instance_id);
create index users_is_anonymous_idx on auth.users (is_anonymous);

create table auth.identities (
    provider_id     text not null,
    user_id         uuid not null references auth.users on delete cascade,
    identity_data   jsonb not null,
    provider        text not null,
    last_sign_in_at timestamptz,
    created_at      timestamptz,
    updated_at      timestamptz,
    email           text generated always as (lower(identity_data ->> 'email')) stored,
    id              uuid primary key default gen_random_uuid(),
    unique (provider_id, provider)
);

create index identities_user_id_idx on auth.identities (user_id);
create index identities_email_idx on auth.identities (email text_pattern_ops);

create table auth.oauth_clients (
    id          uuid primary key,
    client_name text,
    created_at  timestamptz not null default now(),
    updated_at  timestamptz not null default now(),
    deleted_at  timestamptz
);

create table auth.sessions (
    id                     uuid primary key,
    user_id                uuid not null references auth.users on delete cascade,
    created_at             timestamptz,
    updated_at             timestamptz,
    factor_id              uuid,
    aal                    auth.aal_level,
    not_after              timestamptz,
    refreshed_at           timestamp,
    user_agent             text,
    ip                     inet,
    tag                    text,
    oauth_client_id        uuid references auth.oauth_clients on delete cascade,
    refresh_token_hmac_key text,
    refresh_token_counter  bigint,
    scopes                 text check (char_length(scopes) <= 4096)
);

create index sessions_user_id_idx on auth.sessions (user_id);
create index sessions_not_after_idx on auth.sessions (not_after desc);
create index sessions_oauth_client_id_idx on auth.sessions (oauth_client_id);
create index user_id_created_at_idx on auth.sessions (user_id, created_at);

create table auth.refresh_tokens (
    instance_id uuid,
    id          bigserial primary key,
    token       varchar(255) unique,
    user_id     varchar(255),
    revoked     boolean,
    created_at  timestamptz,
    updated_at  timestamptz,
    parent      varchar(255),
    session_id  uuid references auth.sessions on delete cascade
);

create index refresh_tokens_instance_id_idx on auth.refresh_tokens (instance_id);
create index refresh_tokens_instance_id_user_id_idx on auth.refresh_tokens (instance_id, user_id);
create index refresh_tokens_parent_idx on auth.refresh_tokens (parent);
create index refresh_tokens_session_id_revoked_idx on auth.refresh_tokens (session_id, revoked);
create index refresh_tokens_updated_at_idx on auth.refresh_tokens (updated_at desc);

create table auth.mfa_amr_claims (
    session_id            uuid not null references auth.sessions on delete cascade,
    created_at            timestamptz not null,
    updated_at            timestamptz not null,
    authentication_method text not null,
    id                    uuid primary key,
    unique (session_id, authentication_method)
);

create table auth.mfa_factors (
    id                           uuid primary key,
    user_id                      uuid not null references auth.users on delete cascade,
    friendly_name                text,
    factor_type                  auth.factor_type not null,
    status                       auth.factor_status not null,
    created_at                   timestamptz not null,
    updated_at                   timestamptz not null,
    secret                       text,
    phone                        text,
    last_challenged_at           timestamptz unique,
    web_authn_credential         jsonb,
    web_authn_aaguid             uuid,
    last_webauthn_challenge_data jsonb
);

create index mfa_factors_user_id_idx on auth.mfa_factors (user_id);

create table auth.mfa_challenges (
    id                     uuid primary key,
    factor_id              uuid not null references auth.mfa_factors on delete cascade,
    created_at             timestamptz not null,
    verified_at            timestamptz,
    ip_address             inet not null,
    otp_code               text,
    web_authn_session_data jsonb
);

create index mfa_challenge_created_at_idx on auth.mfa_challenges (created_at desc);

create table auth.one_time_tokens (
    id         uuid primary key,
    user_id    uuid not null references auth.users on delete cascade,
    token_type auth.one_time_token_type not null,
    token_hash text not null check (char_length(token_hash) > 0),
    relates_to text not null,
    created_at timestamp not null default now(),
    updated_at timestamp not null default now()
);

create unique index one_time_tokens_user_id_token_type_key on auth.one_time_tokens (user_id, token_type);
create index one_time_tokens_relates_to_hash_idx on auth.one_time_tokens using hash (relates_to);
create index one_time_tokens_token_hash_hash_idx on auth.one_time_tokens using hash (token_hash);

-- The tables below contain ids of users without a foreign key.
create table auth.flow_state (
    id                     uuid primary key,
    user_id                uuid,
    auth_code              text,
    code_challenge_method  auth.code_challenge_method,
    code_challenge         text,
    provider_type          text not null,
    provider_access_token  text,
    provider_refresh_token text,
    created_at             timestamptz,
    updated_at             timestamptz,
    authentication_method  text not null,
    auth_code_issued_at    timestamptz,
    invite_token           text,
    referrer               text,
    oauth_client_state_id  uuid,
    linking_target_id      uuid,
    email_optional         boolean not null default false
);

create index flow_state_created_at_idx on auth.flow_state (created_at desc);
create index idx_auth_code on auth.flow_state (auth_code);
create index idx_user_id_auth_method on auth.flow_state (user_id, authentication_method);

create table auth.audit_log_entries (
    instance_id uuid,
    id          uuid primary key,
    payload     json,
    created_at  timestamptz,
    ip_address  varchar(64) not null default ''
);

create index audit_logs_instance_id_idx on auth.audit_log_entries (instance_id);

-- The user of the app's request, for the row policies of the app.
create function auth.uid() returns uuid language sql stable as $$
    select coalesce(
        nullif(current_setting('request.jwt.claim.sub', true), ''),
        nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'
    )::uuid
$$;


-- ---- storage --------------------------------------------------------------------------------------------------------------------

create type storage.buckettype as enum ('STANDARD', 'ANALYTICS', 'VECTOR');

create table storage.buckets (
    id                 text primary key,
    name               text not null unique,
    owner              uuid,
    created_at         timestamptz default now(),
    updated_at         timestamptz default now(),
    public             boolean default false,
    avif_autodetection boolean default false,
    file_size_limit    bigint,
    allowed_mime_types text[],
    owner_id           text,
    type               storage.buckettype not null default 'STANDARD',
    versioning_status  text not null default 'disabled'
);

create table storage.objects (
    id               uuid primary key default gen_random_uuid(),
    bucket_id        text references storage.buckets,
    name             text,
    owner            uuid,
    created_at       timestamptz default now(),
    updated_at       timestamptz default now(),
    last_accessed_at timestamptz default now(),
    metadata         jsonb,
    path_tokens      text[] generated always as (string_to_array(name, '/')) stored,
    version          text,
    owner_id         text,
    user_metadata    jsonb,
    archived_at      timestamptz,
    is_delete_marker boolean not null default false,
    is_versioned     boolean not null default false
);

create unique index bucketid_objname on storage.objects (bucket_id, name);
create index name_prefix_search on storage.objects (name text_pattern_ops);

create table storage.s3_multipart_uploads (
    id               text primary key,
    in_progress_size bigint not null default 0,
    upload_signature text not null,
    bucket_id        text not null references storage.buckets,
    key              text not null,
    version          text not null,
    owner_id         text,
    created_at       timestamptz not null default now(),
    user_metadata    jsonb,
    metadata         jsonb
);

create index idx_multipart_uploads_list on storage.s3_multipart_uploads (bucket_id, key, created_at);

create table storage.s3_multipart_uploads_parts (
    id          uuid primary key default gen_random_uuid(),
    upload_id   text not null references storage.s3_multipart_uploads on delete cascade,
    size        bigint not null default 0,
    part_number integer not null,
    bucket_id   text not null references storage.buckets,
    key         text not null,
    etag        text not null,
    owner_id    text,
    version     text not null,
    created_at  timestamptz not null default now()
);

-- A DELETE by SQL would leave the stored file behind, so it fails, even if it matches no row. The Storage API also removes the file,
-- and sets storage.allow_delete_query so that its DELETE succeeds.
create function storage.protect_delete() returns trigger language plpgsql as $$
begin
    if coalesce(current_setting('storage.allow_delete_query', true), 'false') <> 'true' then
        raise exception 'Direct deletion from storage tables is not allowed. Use the Storage API instead.'
            using errcode = '42501', hint = 'This prevents accidental data loss from orphaned objects.';
    end if;
    return null;
end;
$$;

create trigger protect_buckets_delete before delete on storage.buckets
    for each statement execute function storage.protect_delete();

create trigger protect_objects_delete before delete on storage.objects
    for each statement execute function storage.protect_delete();
