-- How long a user stays signed in, what the phone shows, and what other users lose by a deletion.

-- @example never-confirmed  The user signed up and never confirmed the email.
-- @user ada@example.com
-- @do
insert into auth.users (id, email, raw_app_meta_data, created_at)
values ('00000000-0000-4000-8000-000000000001', 'ada@example.com', '{"provider": "email"}', :now);
-- @expect signed-in signed-out
-- @expect screen sign-in
-- @expect deletion takes-nothing

-- @example confirmed  The user confirmed the email and never signed in.
-- @from never-confirmed
-- @do
update auth.users set email_confirmed_at = :now;
-- @expect signed-in signed-out

-- @example signed-out  The user signed in a day ago and has no session left.
-- @from confirmed
-- @do
update auth.users set last_sign_in_at = :now - interval '1 day';
-- @expect signed-in signed-out
-- @expect screen sign-in

-- @example token-only  The session is deleted, but the access token is still valid.
-- @from confirmed
-- @do
update auth.users set last_sign_in_at = :now - interval '59 minutes';
-- @expect signed-in until-expiry
-- @expect screen hidden

-- @example session  A session can renew its access token without an end.
-- @from confirmed
-- @do
insert into auth.sessions (id, user_id, created_at)
values ('00000000-0000-4000-8000-0000000000a1', '00000000-0000-4000-8000-000000000001', :now - interval '10 minutes');
-- @do
insert into auth.refresh_tokens (session_id, revoked, token) values ('00000000-0000-4000-8000-0000000000a1', false, 'a');
-- @expect signed-in active
-- @expect screen hidden

-- @example session-ends  A session can renew its access token for a day.
-- @from session
-- @do
update auth.sessions set not_after = :now + interval '1 day';
-- @expect signed-in active

-- @example used-up  The last refresh token is revoked, but the access token is valid.
-- @from session
-- @do
update auth.refresh_tokens set revoked = true;
-- @expect signed-in until-expiry

-- @example resting  The access token has expired, but the session can renew it.
-- @from session
-- @do
update auth.sessions set created_at = :now - interval '1 day';
-- @expect signed-in refreshable
-- @expect screen hidden

-- @example resting-till-tomorrow  The access token has expired, and the session can renew it until tomorrow.
-- @from resting
-- @do
update auth.sessions set not_after = :now + interval '1 day';
-- @expect signed-in refreshable

-- @example undated  The time of the last access token is not recorded.
-- @from session
-- @do
update auth.sessions set created_at = null, not_after = :now + interval '1 day';
-- @expect signed-in refreshable

-- @example run-out  The access token and the session have expired.
-- @from resting
-- @do
update auth.sessions set not_after = :now - interval '1 hour';
-- @expect signed-in expired
-- @expect screen sign-in

-- @example run-out-undated  The session can't renew the access token, whose time is not recorded.
-- @from undated
-- @do
update auth.refresh_tokens set revoked = true;
-- @expect signed-in expired

-- @example banned  A banned user has no valid access token.
-- @from signed-out
-- @do
update auth.users set banned_until = :now + interval '1 day';
-- @expect signed-in banned
-- @expect screen sign-in

-- @example banned-with-token  A banned user still has a valid access token.
-- @from session
-- @do
update auth.users set banned_until = :now + interval '1 day';
-- @expect signed-in banned
-- @expect screen hidden

-- @example deleted  A user who is marked as deleted has no valid access token.
-- @from signed-out
-- @do
update auth.users set deleted_at = :now;
-- @expect signed-in deleted
-- @expect screen sign-in

-- @example deleted-with-token  A user who is marked as deleted still has a valid access token.
-- @from session
-- @do
update auth.users set deleted_at = :now;
-- @expect signed-in deleted
-- @expect screen hidden

-- @example chats  A user with a session and a profile sees the chats.
-- @from session
-- @do
insert into public.profiles (id, first_name, email) select a.id, 'Ada', a.email from auth.users a;
-- @expect signed-in active
-- @expect screen chats

-- @example other-phone  The phone belongs to another account.
-- @from chats
-- @assume user_id=00000000-0000-4000-8000-000000000009
-- @expect screen other-account

-- @example authenticating  The user is signing in.
-- @from chats
-- @assume authenticating=true
-- @expect screen authenticating

-- @example new-phone  The phone has no session and never showed the welcome screen.
-- @from signed-out
-- @assume has_seen_welcome_screen=false
-- @expect screen welcome

-- @example phone-signed-out  The phone is signed out, although the server has a session.
-- @from chats
-- @assume is_user_signed_in=false
-- @expect screen sign-in

-- @example onboarding  Both flags show that onboarding is not finished.
-- @from chats
-- @assume onboarding_completed=false
-- @assume has_completed_onboarding=false
-- @expect screen onboarding

-- @example torn  The two onboarding flags differ.
-- @from chats
-- @assume onboarding_completed=false
-- @expect screen unclear

-- @example profile-to-come  The phone has not written the profile yet.
-- @from session
-- @assume profile_synced=false
-- @expect screen syncing

-- @example profile-to-change  The phone has a newer profile than the server.
-- @from chats
-- @assume profile_synced=false
-- @expect screen syncing

-- @example matched  Two users matched and never wrote.
-- @from chats
-- @do
insert into auth.users (id, email, created_at) values ('00000000-0000-4000-8000-000000000002', 'ben@example.com', :now);
-- @do
insert into public.profiles (id, first_name) values ('00000000-0000-4000-8000-000000000002', 'Ben');
-- @do
insert into public.matches (id, user_a, user_b)
values ('00000000-0000-4000-8000-0000000000b1', '00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002');
-- @expect deletion takes-matches

-- @example written-to  The other user of the match wrote a message.
-- @from matched
-- @do
insert into public.conversations (id, match_id, user_a, user_b)
select '00000000-0000-4000-8000-0000000000c1', m.id, m.user_a, m.user_b from public.matches m;
-- @do
insert into public.messages (conversation_id, sender_id, body)
values ('00000000-0000-4000-8000-0000000000c1', '00000000-0000-4000-8000-000000000002', 'Hello');
-- @expect deletion takes-messages
