-- LangChat. Support asks two questions. Is this user still signed in, and until when? What do other users lose if this account is
-- deleted? usher counts messages and never shows them.

-- @app langchat  LangChat
-- @requires public.profiles.bio
-- @requires public.user_languages
-- @requires public.muse_interactions
-- @requires public.reported_users
-- @include ./langchat/screens.sql
-- @include supabase

-- @elsewhere deleted : A deleted account has no rows in this database. If the deletion wrote an archive, restore it: `account restore FILE`

-- @elsewhere mail : The log of the email provider shows whether a confirmation email was delivered.

-- @users
-- @key id
-- @email email, profile_email
-- @search name, email, profile_email, phone
-- @columns name, email, has_profile, banned_until
-- @fact has_profile : Yes if the phone wrote the profile. Without a profile, other users can't find this user.
-- @fact provider : How the user signed up: by email, Apple or Google.
-- @fact banned_until : When the ban ends. Until the ban ends, the user can't sign in.
-- @fact updated_at : When the profile last changed.
-- @fact deleted_at : When the account was marked as deleted.
select a.id, nullif(concat_ws(' ', p.first_name, p.last_name), '') as name, a.email, p.email as profile_email, a.phone,
       a.raw_app_meta_data ->> 'provider' as provider, a.email_confirmed_at, p.id is not null as has_profile,
       a.banned_until, a.deleted_at, a.created_at, p.updated_at, a.last_sign_in_at
  from auth.users a
  left join public.profiles p on p.id = a.id;

-- @select no-profile  Users without a profile; other users can't find them.
has_profile is not true;

-- @select unconfirmed  Users who signed up by email and never confirmed the email.
provider = 'email' and email_confirmed_at is null;

-- @select banned  Users who are banned at the moment.
banned_until > :now;

-- @define device  Sessions, and whether each can renew its access token.
-- Newer versions of Supabase count the refresh tokens of a session and don't store them.
select s.*, (s.not_after is null or s.not_after > :now)
            and (k.refresh_token_counter is not null
                 or exists (select from auth.refresh_tokens t where t.session_id = s.id and t.revoked is not true)) as renews
  from session s
  join auth.sessions k on k.id = s.id;

-- @define logged  The time at which each user last got an access token, from the log of the last hour. The log also covers deleted sessions.
select l.payload ->> 'actor_id' as actor, max(l.created_at) as issued_at
  from auth.audit_log_entries l
 where l.created_at > :now - interval '1 hour' and l.payload ->> 'action' in ('login', 'token_refreshed')
 group by l.payload ->> 'actor_id';

-- @define standing  Users and their sessions. An access token is valid for an hour; deleting a session does not revoke it.
select u.*, d.sessions, d.sessions || case d.sessions when 1 then ' session' else ' sessions' end as open_sessions,
       d.renewable, d.endless, d.renewable_until,
       greatest(d.last_token_at, u.last_sign_in_at, l.issued_at) + interval '1 hour' as token_until
  from users u
  left join logged l on l.actor = u.id::text
 cross join lateral (select count(*)::int as sessions, count(*) filter (where s.renews)::int as renewable,
                            coalesce(bool_or(s.not_after is null) filter (where s.renews), false) as endless,
                            max(s.not_after) filter (where s.renews) as renewable_until, max(s.last_token_at) as last_token_at
                       from device s
                      where s.user_id = u.id) as d;

-- @object match  Two users who liked each other, and their conversation.
-- @key id
-- @columns id, email_a, email_b, matched_at, messages, last_message_at
-- @order matched_at desc
select m.id, m.user_a, m.user_b, (select u.email from users u where u.id = m.user_a) as email_a,
       (select u.email from users u where u.id = m.user_b) as email_b, m.created_at as matched_at,
       c.id as conversation_id, c.user_a as speaker_a, c.user_b as speaker_b, c.created_at as conversation_since, w.messages, w.last_message_at
  from public.matches m
  left join public.conversations c on c.match_id = m.id
 cross join lateral (select count(*)::int as messages, max(t.created_at) as last_message_at
                       from public.messages t
                      where t.conversation_id = c.id) as w;
-- @members
select m.id, m.user_a from public.matches m union all select m.id, m.user_b from public.matches m;

-- @select silent  Matches without messages.
messages = 0;

-- @define side  Each match, once for each of its two users.
select m.user_a as user_id, m.user_b as other_id, m.id as match_id, m.created_at as matched_at from public.matches m
 union all
select m.user_b, m.user_a, m.id, m.created_at from public.matches m;

-- @define bond  Everything that two users share: the match, the conversation, and the number of messages of each user.
select s.*, c.id as conversation_id, c.created_at as conversation_since, w.own_messages, w.their_messages, w.last_message_at
  from side s
  left join public.conversations c on c.match_id = s.match_id
 cross join lateral (select count(*) filter (where t.sender_id = s.user_id)::int as own_messages,
                            count(*) filter (where t.sender_id <> s.user_id)::int as their_messages,
                            max(t.created_at) as last_message_at
                       from public.messages t
                      where t.conversation_id = c.id) as w;

-- @object report  A report of one user about another.
-- @key id
-- @columns id, reason, reported_email, reporter_email, created_at, reviewed_at
-- @order created_at desc
select r.id, r.reporter_id, r.reported_id, (select u.email from users u where u.id = r.reported_id) as reported_email,
       (select u.email from users u where u.id = r.reporter_id) as reporter_email, r.reason, r.details, r.created_at, r.reviewed_at,
       exists (select from auth.users a where a.id = r.reporter_id) as reporter_exists,
       exists (select from auth.users a where a.id = r.reported_id) as reported_exists
  from public.reported_users r;
-- @members
select r.id, r.reported_id from public.reported_users r union all select r.id, r.reporter_id from public.reported_users r;

-- @select open  Reports that are not reviewed yet.
reviewed_at is null;

-- @select orphaned  Reports that name a deleted account.
(reporter_exists and reported_exists) is not true;

-- @object invite  An invitation by email.
-- @key id
-- @user inviter_id
-- @search email
-- @columns id, email, expires_at, accepted_at, has_account
-- @order expires_at desc
select i.id, i.inviter_id, i.email, i.created_at, i.expires_at, i.accepted_at,
       exists (select from auth.users a where a.email = i.email)
       or exists (select from public.profiles p where p.email = i.email) as has_account
  from public.invites i;

-- @select open  Invites that are neither accepted nor expired.
accepted_at is null and expires_at > :now;

-- @select orphaned  Accepted invites whose email no account has anymore.
accepted_at is not null and has_account is not true;

-- @object photo  A stored photo, in a folder named after the user's id.
-- @key id
-- @user user_id
-- @columns id, name, bytes, created_at
-- @order created_at desc
select o.id, a.id as user_id, o.name, o.path_tokens[1] as folder, o.metadata ->> 'size' as bytes, o.created_at,
       a.id is not null as has_account
  from storage.objects o
  left join auth.users a on a.id::text = o.path_tokens[1]
 where o.bucket_id = 'photos';

-- @select orphaned  Photos of a deleted account; only the Storage API can remove the files.
has_account is not true;

-- @define stored  The photos of each user. Their names are in the range from ID/ to ID0, because 0 follows / in ASCII. Postgres can search this range with the index.
select a.id as user_id, o.id, o.name, o.metadata, o.owner_id, o.created_at
  from auth.users a
  join storage.objects o on o.bucket_id = 'photos' and o.name ~>=~ (a.id || '/') and o.name ~<~ (a.id || '0');

-- ---- Sessions -------------------------------------------------------------------------------------------------------------------
-- @screen until-then  An access token stays valid.
-- @advice The access token can't be revoked before it expires. Then the app shows the sign-in screen.

-- @screen sign-in  The session is over.
-- @advice The user signs in again. The app works as it should.

-- @decision signed-in  Can this user still be signed in, and until when?
-- Several rules can be true, so their order matters: first deleted and banned users, then valid access tokens, then sessions that
-- can get a new token. Only the phone has the exact expiry time of its token: add this time with --assume token_until=TIME.
-- @assume token_until: timestamptz
select * from standing;

-- @rule deleted  This account was marked as deleted at {deleted_at}, so the user can't sign in.
deleted_at is not null;
-- @because  This account was marked as deleted at {deleted_at}. An earlier access token is valid until {token_until} and can't be renewed.
-- @advice until-then
token_until > :now;
-- @because  This account was marked as deleted at {deleted_at}: no session is valid, and the user can't sign in.
-- @advice See the rest of the account: `user show {email}`
true;

-- @rule banned  This user is banned until {banned_until}, so the user can't sign in.
-- @advice Lift the ban: `user unban {email}`
banned_until > :now;
-- @because  This user is banned until {banned_until}. An earlier access token is valid until {token_until} and can't be renewed.
-- @advice until-then
token_until > :now;
-- @because  This user is banned until {banned_until}: no session can be renewed, and the user can't sign in.
true;

-- @rule active  An access token is valid until {token_until}, and {renewable} of {open_sessions} can renew it.
-- @advice See the sessions: `session list {email}`
-- @advice End the sessions; the access token stays valid until it expires: `session revoke {email}`
token_until > :now and (endless or renewable > 0);
-- @because  An access token is valid until {token_until}, and at least one session can renew it without a time limit.
endless;
-- @because  An access token is valid until {token_until}. {renewable} of {open_sessions} can renew it, until {renewable_until} at the latest. The last renewed token is valid for an hour.
true;

-- @rule until-expiry  The access token is valid until {token_until} and can't be renewed.
-- @advice until-then
token_until > :now;
-- @because  The access token is valid until {token_until}. No session can renew it; all of them ({open_sessions}) have expired or are used up.
sessions > 0;
-- @because  No session is left, but the last access token stays valid until {token_until}, because it can't be revoked.
true;

-- @rule refreshable  No access token is valid, but {renewable} of {open_sessions} can get a new token when the user opens the app.
-- @advice See the sessions: `session list {email}`
-- @advice End the sessions: `session revoke {email}`
token_until <= :now and endless or renewable > 0;
-- @because  The access token expired at {token_until}. Whenever the user opens the app, a session without a time limit
--    gets a new token.
token_until <= :now and endless;
-- @because  The access token expired at {token_until}. If the user opens the app before {renewable_until}, the app gets a new token, which is valid for an hour.
token_until <= :now;
-- @because  The time of the last access token is not recorded. {renewable} of {open_sessions} can get a new token when the user opens the app.
true;

-- @rule expired  No access token is valid, and no session ({open_sessions}) can get a new token.
-- @advice sign-in
sessions > 0;
-- @because  The access token expired at {token_until}, and no session ({open_sessions}) can get a new token. So the app asks the user to sign in.
token_until <= :now;
-- @because  The time of the last access token is not recorded, and no session ({open_sessions}) can get a new token. So the app asks
--    the user to sign in.
true;

-- @rule signed-out  No session is left.
true;
-- @because  There was never a session: the email was never confirmed.
-- @advice The user follows the link in the confirmation mail, or asks for a new mail in the app.
last_sign_in_at is null and email_confirmed_at is null;
-- @because  There is no session, and no sign-in is recorded.
-- @advice The user signs in. The app works as it should.
last_sign_in_at is null;
-- @because  No session is left; the last sign-in was at {last_sign_in_at}.
-- @advice sign-in
-- @advice Find out how the session ended: `user timeline {email}`
true;

-- @decision screen  What does the app show when this user opens it?
-- The phone keeps flags that are not in the database. Each fact of @assume is such a flag, with its usual value as default. The rules
-- check first whose phone it is, then whether there is a session, then whether onboarding is finished.
-- @assume token_until: timestamptz
-- @assume user_id: uuid
-- @assume authenticating: boolean = false
-- @assume is_user_signed_in: boolean = true
-- @assume has_seen_welcome_screen: boolean = true
-- @assume onboarding_completed: boolean = true
-- @assume has_completed_onboarding: boolean = true
-- @assume profile_synced: boolean
select * from standing;

-- @rule other-account  The phone belongs to another account, {user_id}, so an answer about this account would be wrong.
-- @advice Ask about the account of the phone: `user why {user_id}`
user_id <> id;

-- @rule authenticating  The user is signing in; the app then shows the next screen or the sign-in screen.
authenticating;

-- @rule welcome  There is no session, and this phone has never shown the welcome screen.
has_seen_welcome_screen is false
and (is_user_signed_in and (token_until > :now or renewable > 0 and deleted_at is null and (banned_until > :now) is not true)) is not true;

-- @rule sign-in  There is no session, neither on the phone nor on the server.
is_user_signed_in is false
or (token_until > :now) is not true and (deleted_at is not null or banned_until > :now or (renewable > 0) is not true);
-- @because  The phone is signed out: by its user, by a deletion or by a debug reset. Sessions on the server don't matter.
-- @advice sign-in
is_user_signed_in is false;
-- @because  The account has been marked as deleted since {deleted_at}, and no access token is valid anymore.
deleted_at is not null;
-- @because  The user is banned until {banned_until}, and no access token is valid anymore.
-- @advice Lift the ban: `user unban {email}`
banned_until > :now;
-- @because  This user has never signed in.
last_sign_in_at is null and sessions = 0;
-- @because  The app on the phone still shows the user as signed in. But no access token is valid, and no session can renew it.
-- @advice sign-in
true;

-- @rule onboarding  There is a session, and the user has not finished onboarding.
onboarding_completed is false and has_completed_onboarding is false;

-- @rule unclear  The two onboarding flags of the phone differ. Depending on how the app was opened, the app checks one flag or the other.
-- @advice A debug reset clears both flags. Forward this case to engineering.
onboarding_completed <> has_completed_onboarding;

-- @rule syncing  The app is about to write the profile.
profile_synced is false;
-- @because  The app has not written the profile yet. Without a profile, other users can't find this user.
-- @advice If the profile never appears: `user repair {email}`
has_profile is not true;
-- @because  The app is about to write the profile again; the server has an older profile.
true;

-- @rule hidden  The app opens, but there is no profile on the server, so other users can't find this user.
-- @advice Create a profile. Ask the user for the name, which only the phone has: `user repair {email}`
has_profile is not true;

-- @rule chats  There is a session and a profile: the app opens.
true;

-- ---- What other users lose by a deletion ----------------------------------------------------------------------------------------
-- @screen loss  The rows that would be deleted.
-- @shows conversations: {conversations}
-- @shows messages of others: {their_messages}
-- @shows own messages: {own_messages}
-- @shows photos that only the Storage API can delete: {photos}
-- @shows reports: {reports_by} by this user, {reports_against} against this user
-- @advice See everything: `user show {email}`
-- @advice See the photos that a deletion leaves behind: `user photos {email}`

-- @decision deletion  What do other users lose if this account is deleted?
select u.*, b.others, b.conversations, b.own_messages, b.their_messages, s.photos, r.reports_by, r.reports_against,
       b.others || case b.others when 1 then ' other user' else ' other users' end as partners,
       b.their_messages || case b.their_messages when 1 then ' message' else ' messages' end as lost
  from users u
 cross join lateral (select count(*)::int as others, count(o.conversation_id)::int as conversations,
                            coalesce(sum(o.own_messages), 0)::int as own_messages, coalesce(sum(o.their_messages), 0)::int as their_messages
                       from bond o
                      where o.user_id = u.id) as b
 cross join lateral (select count(*)::int as photos from stored f where f.user_id = u.id) as s
 cross join lateral (select count(*) filter (where n.reporter_id = u.id)::int as reports_by,
                            count(*) filter (where n.reported_id = u.id)::int as reports_against
                       from public.reported_users n
                      where u.id in (n.reporter_id, n.reported_id)) as r;

-- @rule takes-messages  {partners} would lose a match and their own messages: {lost}.
-- @shows loss
their_messages > 0;

-- @rule takes-matches  {partners} would lose a match, but no messages.
-- @shows loss
others > 0;

-- @rule takes-nothing  This user shares no matches with other users.
-- @shows loss
true;

-- ---- Users ----------------------------------------------------------------------------------------------------------------------
-- @action user ban  Ban a user, who then can't sign in or renew a session.
-- @option days?: int 1..3650 : The number of days from now.
-- @option until?: timestamptz : The end of the ban, instead of --days.
-- @grade moderate
-- @expect signed-in banned
-- @refuse Use either --days or --until.
num_nonnulls(:days, :until) <> 1;
-- @refuse The date of --until is not in the future.
:until <= :now;
-- @refuse The account has been marked as deleted since {deleted_at}, so the user can't sign in anyway.
deleted_at is not null;
-- @warn An access token that was already issued stays valid for up to an hour.
exists (select from standing s where s.id = facts.id and s.token_until > :now);
-- @do
update auth.users set banned_until = coalesce(:until, :now + make_interval(days => :days))
 where id = any(:users);

-- @action user unban  Lift the ban of a user.
-- @role support
-- @grade moderate
-- @expect signed-in active | until-expiry | refreshable | expired | signed-out | deleted
-- @refuse This user is not banned.
(banned_until > :now) is not true;
-- @do
update auth.users set banned_until = null
 where id = any(:users);

-- @action user repair  Create the profile that the phone did not write.
-- @role support
-- @grade mild
-- @option first?: text : The first name; ask the user.
-- @option last?: text : The last name.
-- @expect screen chats | sign-in
-- @refuse The profile already exists.
has_profile;
-- @refuse The account has been marked as deleted since {deleted_at}, so it doesn't need a profile.
deleted_at is not null;
-- @warn The account has photos but no profile, as after a deletion that stopped halfway. Check whether to delete the account.
has_profile is not true and exists (select from stored f where f.user_id = facts.id);
-- @do  The profile is created.
insert into public.profiles (id, email, first_name, last_name)
select a.id, a.email, coalesce(:first, a.raw_user_meta_data ->> 'first_name'), coalesce(:last, a.raw_user_meta_data ->> 'last_name')
  from auth.users a where a.id = any(:users)
    on conflict (id) do nothing;
-- @do  The preferences are created.
insert into public.user_preferences (user_id)
select unnest(:users)
    on conflict (user_id) do nothing;

-- ---- Leftovers ------------------------------------------------------------------------------------------------------------------
-- @action report purge  Delete a report that names a deleted account.
-- @on report
-- @grade mild
-- @refuse Both accounts exist, so the report stays.
reporter_exists and reported_exists;
-- @do
delete from public.reported_users where id = any(:keys::uuid[]);

-- @action invite purge  Delete an accepted invite whose account is gone.
-- @on invite
-- @grade mild
-- @refuse There is an account with this email.
has_account;
-- @refuse The invite was never accepted, so the invited person can still sign up.
accepted_at is null;
-- @do
delete from public.invites where id = any(:keys::uuid[]);

-- ---- Test states ----------------------------------------------------------------------------------------------------------------
-- @define test_session  The session that a test state creates for a user.
select u.id as user_id, h.hash::uuid as id, left(h.hash, 12) as token
  from users u
 cross join lateral (select md5('test session ' || u.id || ' ' || :now)) as h (hash);

-- @define test_trace  Log entries about access tokens of the last hour.
select l.id, l.payload ->> 'actor_id' as actor
  from auth.audit_log_entries l
 where l.created_at > :now - interval '1 hour' and l.payload ->> 'action' in ('login', 'token_refreshed');

-- @state active  The user signed in five minutes ago.
-- @expect signed-in active
-- @do  Older sessions are deleted.
delete from auth.sessions where user_id = any(:users);
-- @do
update auth.users set last_sign_in_at = :now - interval '5 minutes', banned_until = null, deleted_at = null
 where id = any(:users);
-- @do  A new session begins.
insert into auth.sessions (id, user_id, created_at, updated_at, aal)
select id, user_id, :now - interval '5 minutes', :now - interval '5 minutes', 'aal1' from test_session where user_id = any(:users);
-- @do
insert into auth.refresh_tokens (token, user_id, revoked, created_at, updated_at, session_id)
select token, user_id, false, :now - interval '5 minutes', :now - interval '5 minutes', id from test_session where user_id = any(:users);

-- @state token-expired  The access token has expired; the refresh token is valid.
-- @from signed-out
-- @expect signed-in refreshable
-- @do  A session is created that renewed its token two hours ago.
insert into auth.sessions (id, user_id, created_at, updated_at, aal, refreshed_at)
select id, user_id, :now - interval '2 days', :now - interval '2 hours', 'aal1', (:now - interval '2 hours') at time zone 'UTC'
  from test_session where user_id = any(:users);
-- @do
insert into auth.refresh_tokens (token, user_id, revoked, created_at, updated_at, session_id)
select token, user_id, false, :now - interval '2 hours', :now - interval '2 hours', id from test_session where user_id = any(:users);

-- @state both-expired  Neither token is valid anymore.
-- @from signed-out
-- @expect signed-in expired
-- @do
update auth.users set last_sign_in_at = :now - interval '40 days' where id = any(:users);
-- @do  A session is created that ended yesterday.
insert into auth.sessions (id, user_id, created_at, updated_at, aal, refreshed_at, not_after)
select id, user_id, :now - interval '40 days', :now - interval '9 days', 'aal1', (:now - interval '9 days') at time zone 'UTC',
       :now - interval '1 day'
  from test_session where user_id = any(:users);
-- @do
insert into auth.refresh_tokens (token, user_id, revoked, created_at, updated_at, session_id)
select token, user_id, false, :now - interval '9 days', :now - interval '9 days', id from test_session where user_id = any(:users);

-- @state session-gone  The user signed in ten minutes ago; the session was deleted, but the access token is still valid.
-- @expect signed-in until-expiry
-- @do
delete from auth.sessions where user_id = any(:users);
-- @do
update auth.users set last_sign_in_at = :now - interval '10 minutes', banned_until = null, deleted_at = null
 where id = any(:users);

-- @state signed-out  The user has no session and no valid access token.
-- @expect signed-in signed-out
-- @expect screen sign-in
-- @do  Sessions and the log entries about them are deleted.
delete from auth.sessions where user_id = any(:users);
-- @do
delete from auth.audit_log_entries where id in (select id from test_trace where actor = any(:users::text[]));
-- @do
update auth.users set last_sign_in_at = :now - interval '2 days', banned_until = null, deleted_at = null
 where id = any(:users);

-- @state banned  The user is banned for a day; sessions and tokens don't change.
-- @expect signed-in banned
-- @do
update auth.users set banned_until = :now + interval '1 day', deleted_at = null
 where id = any(:users);

-- ---- Invariants -----------------------------------------------------------------------------------------------------------------
-- @check no-profile  Every user who has signed in has a profile.
-- @fix user repair
select u.id, u.email, u.provider, u.last_sign_in_at
  from users u where u.has_profile is not true and u.last_sign_in_at is not null and u.deleted_at is null
   and not exists (select from stored f where f.user_id = u.id);

-- @check half-deleted  No deletion by the app stopped after it deleted the profile and before it deleted the photos.
select u.id, u.email, u.created_at, (select count(*) from stored f where f.user_id = u.id) as photos
  from users u where u.has_profile is not true and exists (select from stored f where f.user_id = u.id);

-- @check deleted-profile  Other users can't find an account that is marked as deleted.
select id, email, deleted_at from users where deleted_at is not null and has_profile;

-- @check match-likes  Every match has two likes.
-- @on match
select m.id, (select u.email from users u where u.id = m.user_a) as user_a, (select u.email from users u where u.id = m.user_b) as user_b,
       m.matched_at
  from match m where not exists (select from public.swipes s where s.swiper_id = m.user_a and s.swiped_id = m.user_b and s.liked)
    or not exists (select from public.swipes s where s.swiper_id = m.user_b and s.swiped_id = m.user_a and s.liked);

-- @check conversation-match  Every conversation is between the two users of its match.
-- @on match
select m.id, (select string_agg(u.email, ', ' order by u.email) from users u where u.id in (m.user_a, m.user_b)) as matched,
       (select string_agg(u.email, ', ' order by u.email) from users u where u.id in (m.speaker_a, m.speaker_b)) as speaking
  from match m where least(m.speaker_a, m.speaker_b) <> m.user_a or greatest(m.speaker_a, m.speaker_b) <> m.user_b;

-- @check message-stranger  Only the two users of a conversation write its messages.
-- @on match
select m.id, m.conversation_id, count(*) as messages
  from match m
  join public.messages t on t.conversation_id = m.conversation_id
 where t.sender_id not in (m.speaker_a, m.speaker_b)
 group by m.id, m.conversation_id;

-- @check report-orphan  Every report names two accounts that exist.
-- @on report
-- @fix report purge
select id, reason, created_at, reporter_exists, reported_exists from report where (reporter_exists and reported_exists) is not true;

-- @check invite-orphan  Every accepted invite belongs to an account that exists.
-- @on invite
-- @fix invite purge
select id, (select u.email from users u where u.id = inviter_id) as inviter, email, accepted_at from invite where accepted_at is not null and has_account is not true;

-- @check photo-orphan  Every stored photo belongs to an account that exists.
-- @on photo
select id, name, bytes, created_at from photo where has_account is not true;

-- ---- What an account consists of ------------------------------------------------------------------------------------------------

-- A deletion keeps no row of the user. It removes messages, conversations, reports, questions to Muse, feedback, matches, swipes,
-- languages, preferences, invites and the profile, then the photos, then the login. Matches, conversations and their messages belong to two
-- users. No line of @account decides about these rows, so the operator decides in each deletion. Reports and the emails of invites have no
-- foreign key, so the @refers lines below declare their references.

-- @account
-- @root auth.users.id
-- @refers public.reported_users.reporter_id -> auth.users.id
-- @refers public.reported_users.reported_id -> auth.users.id
-- @refers public.invites.email -> auth.users.email
-- @refers public.invites.email -> public.profiles.email
-- @files photos {id}/
