-- The tables of Auth.js, as a Prisma migration creates them in Postgres.
create table "User" (id text primary key, name text, email text, "emailVerified" timestamp(3), image text);
create unique index "User_email_key" on "User" (email);
create table "Account" (
    id text primary key, "userId" text not null references "User" on update cascade on delete cascade, type text not null,
    provider text not null, "providerAccountId" text not null, refresh_token text, access_token text, expires_at integer, token_type text,
    scope text, id_token text, session_state text
);
create unique index "Account_provider_providerAccountId_key" on "Account" (provider, "providerAccountId");
create table "Session" (
    id text primary key, "sessionToken" text not null, "userId" text not null references "User" on update cascade on delete cascade,
    expires timestamp(3) not null
);
create unique index "Session_sessionToken_key" on "Session" ("sessionToken");
create table "VerificationToken" (identifier text not null, token text not null, expires timestamp(3) not null);
create unique index "VerificationToken_identifier_token_key" on "VerificationToken" (identifier, token);
