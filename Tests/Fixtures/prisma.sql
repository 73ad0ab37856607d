-- Tables as Prisma creates them: names in camel case, enums, foreign keys.
create type "Plan" as enum ('FREE', 'PRO', 'TEAM');
create type "SubscriptionStatus" as enum ('ACTIVE', 'TRIALING', 'PAST_DUE', 'CANCELED');
create type "Role" as enum ('OWNER', 'ADMIN', 'MEMBER');
create table "User" (id text primary key, email text not null unique, "emailVerified" timestamp(3), name text, image text,
  "stripeCustomerId" text unique, plan "Plan" not null default 'FREE', "trialEndsAt" timestamp(3), "isBanned" boolean not null default false,
  "apiCallsUsed" integer not null default 0, "apiCallsLimit" integer not null default 1000,
  "createdAt" timestamp(3) not null default current_timestamp, "updatedAt" timestamp(3) not null);
create table "Account" (id text primary key, "userId" text not null references "User"(id) on delete cascade on update cascade, type text not null, provider text not null,
  "providerAccountId" text not null, refresh_token text, access_token text, expires_at integer, id_token text, unique (provider, "providerAccountId"));
create table "Session" (id text primary key, "sessionToken" text not null unique, "userId" text not null references "User"(id) on delete cascade on update cascade, expires timestamp(3) not null);
create table "VerificationToken" (identifier text not null, token text not null unique, expires timestamp(3) not null, unique (identifier, token));
create table "Team" (id text primary key, name text not null, slug text not null unique, "createdAt" timestamp(3) not null default current_timestamp);
create table "Membership" (id text primary key, role "Role" not null default 'MEMBER', "userId" text not null references "User"(id) on delete cascade, "teamId" text not null references "Team"(id) on delete cascade, "createdAt" timestamp(3) not null default current_timestamp, unique ("userId", "teamId"));
create table "Subscription" (id text primary key, "userId" text not null references "User"(id) on delete cascade, "stripeSubscriptionId" text not null unique, status "SubscriptionStatus" not null, "priceId" text not null, "currentPeriodEnd" timestamp(3) not null, "cancelAtPeriodEnd" boolean not null default false, "createdAt" timestamp(3) not null default current_timestamp);
create table "Project" (id text primary key, name text not null, "ownerId" text not null references "User"(id), "reviewerId" text references "User"(id) on delete set null, "teamId" text references "Team"(id), status text not null default 'draft', "createdAt" timestamp(3) not null default current_timestamp);
create table "AuditLog" (id text primary key, "actorId" text, action text not null, "targetId" text, "createdAt" timestamp(3) not null default current_timestamp);
create table _prisma_migrations (id varchar(36) primary key, checksum varchar(64) not null, finished_at timestamptz, migration_name varchar(255) not null, logs text, rolled_back_at timestamptz, started_at timestamptz not null default now(), applied_steps_count integer not null default 0);
insert into "User" select 'ck'||i, 'u'||i||'@example.com', now(), 'User '||i, null, 'cus_'||md5(i::text), (array['FREE','PRO','TEAM'])[i%3+1]::"Plan", now()+ (i%20-10)*interval '1 day', false, i*3, 1000, now()-i*interval '1 day', now() from generate_series(1,200) i;
insert into "Account" select 'a'||i,'ck'||i,'oauth','google','g'||i,null,null,null,null from generate_series(1,200) i;
insert into "Session" select 's'||i,'t'||i,'ck'||i,now()+interval '3 days' from generate_series(1,200) i;
insert into "Team" select 't'||i,'Team '||i,'team-'||i from generate_series(1,30) i;
insert into "Membership" select 'm'||i,'OWNER','ck'||i,'t'||(i%30+1) from generate_series(1,200) i;
insert into "Subscription" select 'sub'||i,'ck'||i,'sub_'||i,(array['ACTIVE','TRIALING','PAST_DUE','CANCELED'])[i%4+1]::"SubscriptionStatus",'price_1',now()+interval '9 days',false from generate_series(1,200,2) i;
insert into "Project" select 'p'||i,'Project '||i,'ck'||(i%200+1),case when i%50=0 then 'ck1' end,'t'||(i%30+1) from generate_series(1,400) i;
insert into "AuditLog" select 'l'||i,'ck'||(i%200+1),'login',null from generate_series(1,400) i;
analyze;
