-- The tables of Better Auth.
create table "user" (
    id text primary key, name text not null, email text not null unique, "emailVerified" boolean not null, image text,
    "createdAt" timestamp not null, "updatedAt" timestamp not null
);
create table "session" (
    id text primary key, "expiresAt" timestamp not null, token text not null unique, "createdAt" timestamp not null,
    "updatedAt" timestamp not null, "ipAddress" text, "userAgent" text, "userId" text not null references "user"
);
create table "account" (
    id text primary key, "accountId" text not null, "providerId" text not null, "userId" text not null references "user",
    "accessToken" text, "refreshToken" text, "idToken" text, "accessTokenExpiresAt" timestamp, "refreshTokenExpiresAt" timestamp,
    scope text, password text, "createdAt" timestamp not null, "updatedAt" timestamp not null
);
create table "verification" (
    id text primary key, identifier text not null, value text not null, "expiresAt" timestamp not null, "createdAt" timestamp,
    "updatedAt" timestamp
);
