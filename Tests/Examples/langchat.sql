-- How long somebody stays signed in, what the phone shows, and what a deletion takes from others.

-- @example never-confirmed  Signed up, and never came.
-- @user ada@example.com
-- @do
insert into auth.users (id, email, raw_app_meta_data, created_at)
values ('00000000-0000-4000-8000-000000000001', 'ada@example.com', '{"provider": "email"}', :now);
-- @expect signed-in signed-out
-- @expect screen sign-in
-- @expect deletion takes-nothing

-- @example confirmed  The address is confirmed, and nobody signed in.
-- @from never-confirmed
-- @do
update auth.users set email_confirmed_at = :now;
-- @expect signed-in signed-out

-- @example signed-out  A sign-in some time ago, of which nothing is left.
-- @from confirmed
-- @do
update auth.users set last_sign_in_at = :now - interval '1 day';
-- @expect signed-in signed-out
-- @expect screen sign-in

-- @example token-only  The session is gone, and the token is not.
-- @from confirmed
-- @do
update auth.users set last_sign_in_at = :now - interval '59 minutes';
-- @expect signed-in until-expiry
-- @expect screen hidden

-- @example session  A session that renews itself without end.
-- @from confirmed
-- @do
insert into auth.sessions (id, user_id, created_at)
values ('00000000-0000-4000-8000-0000000000a1', '00000000-0000-4000-8000-000000000001', :now - interval '10 minutes');
-- @do
insert into auth.refresh_tokens (session_id, revoked, token) values ('00000000-0000-4000-8000-0000000000a1', false, 'a');
-- @expect signed-in active
-- @expect screen hidden

-- @example session-ends  One that renews itself for a day.
-- @from session
-- @do
update auth.sessions set not_after = :now + interval '1 day';
-- @expect signed-in active

-- @example used-up  The last refresh token was revoked, the access token lives.
-- @from session
-- @do
update auth.refresh_tokens set revoked = true;
-- @expect signed-in until-expiry

-- @example resting  The token is over, the session is not.
-- @from session
-- @do
update auth.sessions set created_at = :now - interval '1 day';
-- @expect signed-in refreshable
-- @expect screen hidden

-- @example resting-till-tomorrow  The same, but not for ever.
-- @from resting
-- @do
update auth.sessions set not_after = :now + interval '1 day';
-- @expect signed-in refreshable

-- @example undated  Nobody wrote down when the token was issued.
-- @from session
-- @do
update auth.sessions set created_at = null, not_after = :now + interval '1 day';
-- @expect signed-in refreshable

-- @example run-out  Neither the token nor the session.
-- @from resting
-- @do
update auth.sessions set not_after = :now - interval '1 hour';
-- @expect signed-in expired
-- @expect screen sign-in

-- @example run-out-undated  The same without a date.
-- @from undated
-- @do
update auth.refresh_tokens set revoked = true;
-- @expect signed-in expired

-- @example banned  Nobody signs in, and nothing is left.
-- @from signed-out
-- @do
update auth.users set banned_until = :now + interval '1 day';
-- @expect signed-in banned
-- @expect screen sign-in

-- @example banned-with-token  The token outlives the ban for a while.
-- @from session
-- @do
update auth.users set banned_until = :now + interval '1 day';
-- @expect signed-in banned
-- @expect screen hidden

-- @example deleted  Marked, and nothing is left.
-- @from signed-out
-- @do
update auth.users set deleted_at = :now;
-- @expect signed-in deleted
-- @expect screen sign-in

-- @example deleted-with-token  The token outlives the mark.
-- @from session
-- @do
update auth.users set deleted_at = :now;
-- @expect signed-in deleted
-- @expect screen hidden

-- @example chats  A session and a profile.
-- @from session
-- @do
insert into public.profiles (id, first_name, email) select a.id, 'Ada', a.email from auth.users a;
-- @expect signed-in active
-- @expect screen chats

-- @example other-phone  The phone is somebody else's.
-- @from chats
-- @assume user_id=00000000-0000-4000-8000-000000000009
-- @expect screen other-account

-- @example authenticating  A sign-in is under way.
-- @from chats
-- @assume authenticating=true
-- @expect screen authenticating

-- @example new-phone  Never welcomed, and no session.
-- @from signed-out
-- @assume has_seen_welcome_screen=false
-- @expect screen welcome

-- @example phone-signed-out  Whatever the server holds.
-- @from chats
-- @assume is_user_signed_in=false
-- @expect screen sign-in

-- @example onboarding  Both flags agree.
-- @from chats
-- @assume onboarding_completed=false
-- @assume has_completed_onboarding=false
-- @expect screen onboarding

-- @example torn  The flags do not.
-- @from chats
-- @assume onboarding_completed=false
-- @expect screen unclear

-- @example profile-to-come  The phone has yet to write it.
-- @from session
-- @assume profile_synced=false
-- @expect screen syncing

-- @example profile-to-change  The phone has a newer one.
-- @from chats
-- @assume profile_synced=false
-- @expect screen syncing

-- @example matched  Two who never wrote.
-- @from chats
-- @do
insert into auth.users (id, email, created_at) values ('00000000-0000-4000-8000-000000000002', 'ben@example.com', :now);
-- @do
insert into public.profiles (id, first_name) values ('00000000-0000-4000-8000-000000000002', 'Ben');
-- @do
insert into public.matches (id, user_a, user_b)
values ('00000000-0000-4000-8000-0000000000b1', '00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002');
-- @expect deletion takes-matches

-- @example written-to  The other wrote.
-- @from matched
-- @do
insert into public.conversations (id, match_id, user_a, user_b)
select '00000000-0000-4000-8000-0000000000c1', m.id, m.user_a, m.user_b from public.matches m;
-- @do
insert into public.messages (conversation_id, sender_id, body)
values ('00000000-0000-4000-8000-0000000000c1', '00000000-0000-4000-8000-000000000002', 'Hello');
-- @expect deletion takes-messages
