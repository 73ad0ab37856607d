-- What every app on Supabase shares: sign-in methods and sessions. The key of a user is the id of auth.users.

-- @object session  A signed-in device.
-- @key id
-- @user user_id
select s.id, s.user_id, s.created_at, coalesce(s.refreshed_at at time zone 'UTC', s.created_at) as last_token_at, s.not_after,
       s.user_agent, s.ip
  from auth.sessions s;

-- @panel Sessions
-- @limit 20
select s.id as session, s.created_at as signed_in, s.last_token_at, s.last_token_at + interval '1 hour' as token_lives_until,
       s.user_agent, s.ip
  from session s
 where s.user_id = :user
 order by s.last_token_at desc;

-- @panel Sign-in methods
select i.provider, i.email, i.created_at as linked, i.last_sign_in_at as last_used
  from auth.identities i
 where i.user_id = :user
 order by i.created_at;

-- @timeline sign-in
select i.created_at as at, 'sign-in method' as kind, i.provider || ' was linked' as title, i.email as detail
  from auth.identities i
 where i.user_id = :user
 union all
select s.created_at, 'session', 'signed in', concat_ws(', ', s.user_agent, host(s.ip))
  from auth.sessions s
 where s.user_id = :user
 union all
select s.last_token_at, 'session', 'renewed its token', s.user_agent
  from session s
 where s.user_id = :user and s.last_token_at > s.created_at;
