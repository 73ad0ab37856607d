-- For apps that use Better Auth, with the tables of its own migrations or of Prisma. The key of a user is the id of "user". If your
-- app has more data about users, write your own @users block, which replaces the block here. If Drizzle named the columns with
-- underscores, write four blocks of your own: @users, @object session, @panel Sign-in methods and @action session revoke. All other
-- blocks use these four.

-- @app better-auth  Better Auth
-- @requires public."user"."emailVerified"
-- @requires public."account"."providerId"
-- @requires public."session"."expiresAt"
-- @requires public."verification"

-- @users
-- @key id
-- @email email
-- @search name, email
-- @optional public."user".role: text
-- @fact is_verified : Yes if the email is confirmed.
-- @fact providers : The sign-in methods of the user.
select u.id, u.name, u.email, u."emailVerified" as is_verified, u.role as role, coalesce(u.banned, false) as is_banned,
       u."banExpires" as ban_expires, u."createdAt" as created_at,
       (select string_agg(distinct a."providerId", ', ') from public."account" a where a."userId" = u.id) as providers
  from public."user" u;

-- @select unconfirmed  Users who have not confirmed the email.
is_verified is not true;

-- @select banned  Users who are banned at the moment.
is_banned and (ban_expires is null or ban_expires > :now);

-- @object session  A session on a device.
-- @key id
-- @user user_id
-- @columns id, expires, user_agent
select s.id, s."userId" as user_id, s."createdAt" as created_at, s."expiresAt" as expires, s."ipAddress" as ip, s."userAgent" as user_agent
  from public."session" s;

-- @decision signed-in  Can this user still be signed in?
select u.id, u.email, coalesce(b.banned, false) as is_banned, coalesce(b."banExpires", b.ban_expires) as ban_expires, s.sessions,
       s.last_until
  from users u
  join public."user" b on b.id = u.id
 cross join lateral (select count(*) as sessions, max(s.expires) as last_until
                       from session s
                      where s.user_id = u.id and s.expires > :now) as s;

-- @rule banned  This user is banned.
is_banned and (ban_expires is null or ban_expires > :now);
-- @because  This user is banned until {ban_expires}.
ban_expires is not null;
-- @because  This user is banned without an end date.
true;

-- @rule yes  This user is signed in until {last_until}. The session is extended when the user opens the app.
-- @advice End the session: `session revoke {email}`
sessions > 0;

-- @rule no  No session is valid; the user has to sign in again.
true;

-- @panel Sign-in methods
select a."providerId" as provider, a."createdAt" as linked, a."updatedAt" as changed
  from public."account" a
 where a."userId" = :user
 order by a."providerId";

-- @panel Sessions
-- @explains signed-in
-- @limit 20
select s.created_at as signed_in, s.expires, s.user_agent, s.ip, s.id
  from session s
 where s.user_id = :user
 order by s.created_at desc, s.id;

-- @timeline sign-in
select s.created_at at time zone 'UTC' as at, 'session' as kind, 'signed in' as title, concat_ws(', ', s.user_agent, s.ip) as detail
  from session s
 where s.user_id = :user;

-- @list session list  List the sessions of a user, and when they end.
select s.id, s.created_at, s.expires, s.user_agent, s.ip
  from session s
 where s.user_id = :user
 order by s.created_at desc, s.id;

-- @action session revoke  Sign a user out everywhere, or end one session.
-- @option session?: text : Only this session, by its id. Default: all sessions.
-- @role support
-- @grade mild
-- @final
-- @refuse This user doesn't have a session with this id.
:session is not null and not exists (select from session s where s.id = :session and s.user_id = facts.id);
-- @do
delete from public."session" where "userId" = any(:users) and (:session is null or id = :session);

-- @account
-- @optional public."user".banned: boolean
-- @optional public."user"."banExpires": timestamp
-- @optional public."user".ban_expires: timestamp
-- @optional public."account"."accountId": text
-- @optional public."account"."accessToken": text
-- @optional public."account"."refreshToken": text
-- @optional public."account"."idToken": text
-- @root public."user".id
-- @refers public."verification".identifier -> public."user".email
-- @ignore public."account"."accountId" : The column contains the id of the row's own user.
-- @secret public."account"."accessToken"
-- @secret public."account"."refreshToken"
-- @secret public."account"."idToken"
-- @secret public."account".password
-- @secret public."session".token
-- @secret public."verification".value
