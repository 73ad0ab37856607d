-- For every app on Supabase: sign-in methods and sessions. The key of a user is the id of auth.users.

-- @app supabase  Supabase
-- @requires auth.identities.email
-- @requires auth.refresh_tokens.session_id
-- @requires auth.sessions.refreshed_at
-- @requires auth.users.raw_user_meta_data
-- @requires storage.objects

-- @object session  A session on a device.
-- @key id
-- @user user_id
-- @columns id, last_token_at, user_agent
select s.id, s.user_id, s.created_at, coalesce(s.refreshed_at at time zone 'UTC', s.created_at) as last_token_at, s.not_after,
       s.user_agent, s.ip
  from auth.sessions s;

-- @object identity  A sign-in method, such as a password or an Apple account.
-- @key id
-- @user user_id
-- @search email
-- @columns id, provider, email, last_sign_in_at
-- @order last_sign_in_at desc
select i.id, i.user_id, i.provider, i.email, i.created_at, i.last_sign_in_at, i.updated_at from auth.identities i;

-- @define twin (id, other, same)  Two users who may be the same person: they have the same name, email or device.
select a.id, o.id, 'name'
  from auth.users a
  join auth.users o on lower(o.raw_user_meta_data ->> 'full_name') = lower(a.raw_user_meta_data ->> 'full_name') and o.id <> a.id
 union
select i.user_id, o.user_id, 'email'
  from auth.identities i join auth.identities o on o.email = i.email and o.user_id <> i.user_id
 union
select s.user_id, o.user_id, 'device'
  from auth.sessions s join auth.sessions o on o.ip = s.ip and o.user_agent = s.user_agent and o.user_id <> s.user_id;

-- @panel Sessions
-- @limit 20
select s.id as session, s.created_at as signed_in, s.last_token_at, s.last_token_at + interval '1 hour' as token_lives_until,
       s.user_agent, s.ip
  from session s
 where s.user_id = :user
 order by s.last_token_at desc, s.id;

-- @panel Sign-in methods
select i.provider, i.email, i.created_at as linked, i.last_sign_in_at as last_used
  from auth.identities i
 where i.user_id = :user
 order by i.created_at, i.id;

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

-- @list session list  List the devices on which a user is signed in.
select s.id, s.user_agent, s.last_token_at, s.last_token_at + interval '1 hour' as token_lives_until, s.created_at, s.not_after, s.ip
  from session s
 where s.user_id = :user
 order by s.last_token_at desc, s.id;

-- @action session revoke  Sign a user out everywhere, or end one session.
-- @option session?: session : Only this session, by the first 8 characters of its id. Default: all sessions.
-- @role support
-- @grade mild
-- @final

-- @refuse This user doesn't have a session with this id.
:session is not null and not exists (select from auth.sessions s where s.id = :session and s.user_id = facts.id);

-- @warn Access tokens that were already issued stay valid for up to an hour.
exists (select from auth.sessions s where s.user_id = facts.id);

-- @do  The sessions are deleted with their refresh tokens.
delete from auth.sessions
 where user_id = any(:users) and (:session is null or id = :session);

-- @do  Older tokens without a session are deleted, too.
delete from auth.refresh_tokens
 where user_id = any(:users::text[]) and session_id is null and :session is null;

-- @stat sign-ups  New accounts per day, over two weeks.
select day::date as label, coalesce(made.value, 0) as value
  from generate_series(:now - interval '13 days', :now, interval '1 day') as day
  left join (select a.created_at::date as on_day, count(*) as value
               from auth.users a
              where a.created_at >= (:now - interval '13 days')::date and a.created_at < :now::date + 1
              group by 1) made on made.on_day = day::date
 order by 1;

-- @account
-- @root auth.users.id
-- @optional auth.audit_log_entries
-- @optional auth.flow_state
-- @optional auth.flow_state.linking_target_id: uuid
-- @optional auth.flow_state.oauth_client_state_id: uuid
-- @optional auth.mfa_challenges
-- @optional auth.mfa_challenges.otp_code: text
-- @optional auth.mfa_factors
-- @optional auth.one_time_tokens
-- @optional auth.sessions.refresh_token_hmac_key: text
-- @optional storage.buckets
-- @optional storage.buckets.owner_id: text
-- @optional storage.objects.owner_id: text
-- @optional storage.s3_multipart_uploads
-- @optional storage.s3_multipart_uploads_parts
-- @refers auth.refresh_tokens.user_id -> auth.users.id
-- @refers auth.flow_state.user_id -> auth.users.id
-- @refers auth.audit_log_entries (payload ->> 'actor_id') -> auth.users.id
-- @refers storage.objects.owner -> auth.users.id
-- @refers storage.objects.owner_id -> auth.users.id
-- @refers storage.s3_multipart_uploads.owner_id -> auth.users.id
-- @refers storage.s3_multipart_uploads_parts.owner_id -> auth.users.id
-- @refers storage.buckets.owner -> auth.users.id : detach : A bucket stays when its creator is deleted.
-- @refers storage.buckets.owner_id -> auth.users.id : detach : A bucket stays when its creator is deleted.
-- @ignore auth.*.instance_id : The column contains the id of the project, which is the same for all users.
-- @ignore auth.flow_state.oauth_client_state_id : The column contains the id of an unfinished sign-in at another provider.
-- @ignore auth.flow_state.linking_target_id : The column contains the user of an unfinished sign-in.
-- @ignore auth.identities.email : The column contains the email of the row's own user.
-- @ignore auth.identities.identity_data : The column contains data about the row's own user.
-- @ignore auth.identities.provider_id : The column contains the id of the row's own user.
-- @ignore auth.one_time_tokens.relates_to : The column contains the email of the row's own user.
-- @ignore auth.sessions.factor_id : A session and its factor belong to the same user.
-- @ignore auth.sessions.user_agent : The column contains the name of the browser or device.
-- @secret auth.users.encrypted_password
-- @secret auth.users.confirmation_token
-- @secret auth.users.recovery_token
-- @secret auth.users.email_change_token_new
-- @secret auth.users.email_change_token_current
-- @secret auth.users.phone_change_token
-- @secret auth.users.reauthentication_token
-- @secret auth.sessions.refresh_token_hmac_key
-- @secret auth.refresh_tokens.token
-- @secret auth.refresh_tokens.parent
-- @secret auth.one_time_tokens.token_hash
-- @secret auth.mfa_factors.secret
-- @secret auth.mfa_challenges.otp_code
-- @secret auth.flow_state.auth_code
-- @secret auth.flow_state.code_challenge
-- @secret auth.flow_state.provider_access_token
-- @secret auth.flow_state.provider_refresh_token
