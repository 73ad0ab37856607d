-- For apps that use Auth.js (NextAuth) with the tables of its Prisma adapter. The key of a user is the id of "User". If your app
-- has more data about users, write your own @users block, which replaces the @users block of this file.

-- @app authjs  Auth.js
-- @requires public."User"."emailVerified"
-- @requires public."Account"."providerAccountId"
-- @requires public."Session".expires

-- @users
-- @key id
-- @email email
-- @search name, email
-- @optional public."User"."createdAt": timestamp
-- @fact verified_at : When the email was confirmed; empty if it never was.
-- @fact providers : The sign-in methods of the user.
select u.id, u.name, u.email, u."emailVerified" as verified_at, u."createdAt" as created_at,
       (select string_agg(distinct a.provider, ', ') from public."Account" a where a."userId" = u.id) as providers
  from public."User" u;

-- @select unconfirmed  Users who have not confirmed the email and have no account at a provider.
verified_at is null and providers is null;

-- @object session  A session on a device. usher computes its key from the user and the expiry time.
-- @key id
-- @user user_id
select left(encode(sha256(convert_to(s."userId" || ' ' || s.expires, 'UTF8')), 'hex'), 16) as id, s."userId" as user_id, s.expires
  from public."Session" s;

-- @select open  Sessions that have not expired.
expires > :now;

-- @decision signed-in  Can this user still be signed in?
select u.*, s.sessions, s.last_until
  from users u
 cross join lateral (select count(*) as sessions, max(s.expires) as last_until
                       from session s
                      where s.user_id = u.id and s.expires > :now) as s;

-- @rule yes  This user is signed in until {last_until}. The session is extended when the user opens the app.
-- @advice End the session: `session revoke {email}`
sessions > 0;

-- @rule no  No session is valid; the user has to sign in again.
-- @advice See the sign-in methods: `user show {email}`
true;

-- @panel Sign-in methods
select a.provider, a.type, a.scope, to_timestamp(a.expires_at) as token_expires
  from public."Account" a
 where a."userId" = :user
 order by a.provider;

-- @panel Sessions
-- @explains signed-in
-- @limit 20
select s.expires, s.id
  from session s
 where s.user_id = :user
 order by s.expires desc, s.id;

-- @list session list  List the sessions of a user, and when they end.
select s.id, s.expires
  from session s
 where s.user_id = :user
 order by s.expires desc, s.id;

-- @action session revoke  Sign a user out everywhere, or end one session.
-- @option session?: text : Only this session, by its id. Default: all sessions.
-- @role support
-- @grade mild
-- @final
-- @refuse This user doesn't have a session with this id.
:session is not null and not exists (select from session s where s.id = :session and s.user_id = facts.id);
-- @do
delete from public."Session"
 where "userId" = any(:users)
   and (:session is null or left(encode(sha256(convert_to("userId" || ' ' || expires, 'UTF8')), 'hex'), 16) = :session);

-- @account
-- @root public."User".id
-- @optional public."Account".scope: text
-- @optional public."Account".expires_at: integer
-- @optional public."Account".refresh_token: text
-- @optional public."Account".access_token: text
-- @optional public."Account".id_token: text
-- @optional public."Account".session_state: text
-- @optional public."Session"
-- @optional public."VerificationToken"
-- @optional public."Authenticator"
-- @refers public."VerificationToken".identifier -> public."User".email
-- @ignore public."Account"."providerAccountId" : The column contains the id of the row's own user.
-- @ignore public."Authenticator"."providerAccountId" : The column contains the id of the row's own user.
-- @ignore public."Authenticator"."credentialID" : The column contains a key of the row's own user.
-- @secret public."Account".refresh_token
-- @secret public."Account".access_token
-- @secret public."Account".id_token
-- @secret public."Account".session_state
-- @secret public."Session"."sessionToken"
-- @secret public."VerificationToken".token
-- @secret public."Authenticator"."credentialPublicKey"
