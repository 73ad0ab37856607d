-- About 350 users of LangChat in every state of the decision signed-in. Every load creates the same users. All times are relative to
-- the minute of the load. Access tokens are valid for an hour, so an hour later no user of the sample is active.

-- @tour user show edith@example.com
-- @tour user why malinche@example.com
-- @tour user list --decision signed-in=active --limit 5
-- @tour check --limit 3

create temporary table sample_clock as
select date_trunc('minute', now()) as at;

-- One row per state: the number of users, the hours since they signed up, the minutes since the last access token, whether there is a
-- session, the hours until the session ends (NULL: no end), whether a refresh token is unused, and whether there is a profile.
-- Each number of hours or minutes is a range in two columns.
create temporary table sample_state as
select * from (values
    --                          users   signed up      token issued   session  runs out       unused  profile
    ( 1, 'active',                 58,   30, 6000,        1,    20,   true,     null, null,   true,   true),
    ( 2, 'active-boxed',           14,   30, 6000,        1,    20,   true,       30,  480,   true,   true),
    ( 3, 'token-only',              4,  200, 4000,        4,    12,   true,     null, null,   false,  true),
    ( 4, 'session-gone',            5,  200, 4000,        4,    12,   false,    null, null,   false,  true),
    ( 5, 'refreshable',           118,  800, 9000,      130, 36000,   true,     null, null,   true,   true),
    ( 6, 'refreshable-boxed',      24,  800, 9000,      130,  9000,   true,       30,  480,   true,   true),
    ( 7, 'expired',                18, 2000, 9000,    15000, 60000,   true,     -200,  -10,   true,   true),
    ( 8, 'expired-used',            3, 2000, 9000,    15000, 60000,   true,     null, null,   false,  true),
    ( 9, 'signed-out',             72, 2000, 9000,      300, 90000,   false,    null, null,   false,  true),
    (10, 'unconfirmed',             6,    2,  400,     null,  null,   false,    null, null,   false,  false),
    (11, 'never-signed-in',         2,    2,  400,     null,  null,   false,    null, null,   false,  false),
    (12, 'banned',                  5,  800, 9000,      200,  9000,   true,     null, null,   true,   true),
    (13, 'banned-token',            2,  800, 9000,        4,    12,   true,     null, null,   true,   true),
    (14, 'deleted',                 1,  800, 9000,     9000, 30000,   false,    null, null,   false,  false),
    (15, 'deleted-token',           1,  800, 9000,        4,    12,   false,    null, null,   false,  false),
    (16, 'undated',                 1, 2000, 9000,     null,  null,   true,     null, null,   true,   true),
    (17, 'undated-expired',         1, 2000, 9000,     null,  null,   true,     -200, -100,   true,   true),
    -- Users who break an invariant.
    (18, 'drift-no-profile',        3,    3,  700,       70,   170,   true,     null, null,   true,   false),
    (19, 'drift-half-deleted',      1,  900,  900,      100,   100,   true,     null, null,   true,   false),
    (20, 'drift-deleted-profile',   1,  900, 2000,     2000,  9000,   false,    null, null,   false,  true)
) as s (ord, state, users, joined_least, joined_most, token_least, token_most, has_session, until_least, until_most, unused, has_profile);

-- Users with a fixed name, each with a state and a place among the users of this state.
create temporary table sample_star as
select * from (values
    ('active',                1, 'ludwik@example.com',    'Ludwik',    'Zamenhof',    'email'),
    ('active',                2, 'constance@example.com', 'Constance', 'Garnett',     'apple'),
    ('active',                3, 'mallory@example.com',   E'Mal\u200Blory \x1B[31mred\x1B[0m', E'\u202Ella', 'email'),
    ('active',                4, 'natsume@example.org',   E'\u6F31\u77F3', E'\u590F\u76EE', 'apple'),
    ('active-boxed',          1, 'william@example.com',   'William',   'Jones',       'apple'),
    ('token-only',            1, 'jerome@example.com',    'Jerome',    'of Stridon',  'email'),
    ('session-gone',          1, 'malinche@example.com',  'Malinche',  'Tenepal',     'apple'),
    ('session-gone',          2, 'ramon@example.com',     'Ramon',     'Llull',       'email'),
    ('refreshable',           1, 'edith@example.com',     'Edith',     'Grossman',    'apple'),
    ('refreshable',           2, 'zoe@example.org',       E'Zo\u00EB', E'\u0141ukaszewicz', 'email'),
    -- The test user of each @state.
    ('refreshable', 11, 'test+active@example.com', 'Test', 'State', 'email'),
    ('refreshable', 12, 'test+token-expired@example.com', 'Test', 'State', 'email'),
    ('refreshable', 13, 'test+both-expired@example.com', 'Test', 'State', 'email'),
    ('refreshable', 14, 'test+session-gone@example.com', 'Test', 'State', 'email'),
    ('refreshable', 15, 'test+signed-out@example.com', 'Test', 'State', 'email'),
    ('refreshable', 16, 'test+banned@example.com', 'Test', 'State', 'email'),
    ('refreshable-boxed',     1, 'anne@example.com',      'Anne',      'Dacier',      'email'),
    ('expired',               1, 'john@example.com',      'John',      'Wycliffe',    'apple'),
    ('signed-out',            1, 'emile@example.com',     'Emile',     'Benveniste',  'email'),
    ('unconfirmed',           1, 'roman@example.com',     'Roman',     'Jakobson',    'email'),
    ('banned',                1, 'trudy@example.com',     'Trudy',     'Intruder',    'email'),
    ('banned-token',          1, 'oscar@example.com',     'Oscar',     'Opponent',    'email'),
    ('deleted',               1, 'rosetta@example.com',   'Rosetta',   'Stone',       'email'),
    ('undated',               1, 'marco@example.com',     'Marco',     'Polo',        'email'),
    ('drift-no-profile',      1, 'noor@example.com',      'Noor',      'Inayat',      'apple'),
    ('drift-half-deleted',    1, 'babel@example.com',     'Babel',     'Tower',       'email'),
    ('drift-deleted-profile', 1, 'echo@example.com',      'Echo',      'Nymph',       'email')
) as s (state, slot, email, first_name, last_name, provider);

analyze sample_clock, sample_state, sample_star;

-- All users, with their computed dates. dice is an arbitrary number, which is the same for a user on every load. place numbers the
-- users with a profile from 0.
create temporary table sample_user as
with names as (
    select array['Aiko', 'Bjorn', 'Carmen', 'Dmitri', 'Elena', 'Felix', 'Gloria', 'Hamid', 'Ingrid', 'Jorge', 'Kamila', 'Luca', 'Mina',
                 'Noah', 'Olga', 'Pablo', 'Qing', 'Rania', 'Sven', 'Tomas', 'Usha', 'Viktor', 'Wen', 'Xavier', 'Yara', 'Zoltan', 'Ayse',
                 'Bruna', 'Cem', 'Dalia', 'Esra', 'Fabio'] as first,
           array['Andersen', 'Bauer', 'Castro', 'Demir', 'Esposito', 'Fontaine', 'Gomez', 'Hansen', 'Ito', 'Jung', 'Kim', 'Larsson',
                 'Mendes', 'Nguyen', 'Olsen', 'Park', 'Quiroga', 'Ricci', 'Sato', 'Torres', 'Usman', 'Varga', 'Wang', 'Xylander', 'Yamada',
                 'Zhang', 'Ali', 'Bianchi', 'Chen', 'Dias', 'Egger', 'Farkas'] as last
), places as (
    select s.*, slot, (row_number() over (order by s.ord, slot) * 37 % 1024)::int as pick,
           md5('langchat/' || s.state || '/' || slot) as hash,
           ('x' || substr(md5(s.state || ' ' || slot), 1, 7))::bit(28)::int as dice
      from sample_state s, generate_series(1, s.users) as slot
), people as (
    select p.*, t.email as star, c.at,
           overlay(overlay(p.hash placing '4' from 13) placing 'a' from 17)::uuid as id,
           coalesce(t.first_name, first[1 + pick % 32]) as first_name,
           coalesce(t.last_name, last[1 + pick / 32]) as last_name,
           coalesce(t.email, lower(first[1 + pick % 32] || '.' || last[1 + pick / 32])
                             || '@example.' || (array['com', 'org'])[1 + dice % 2]) as address,
           coalesce(t.provider, case when p.state = 'unconfirmed' then 'email' else (array['apple', 'apple', 'email'])[1 + dice % 3] end)
               as provider,
           c.at - make_interval(hours => joined_least + dice % (joined_most - joined_least + 1)) as joined_at,
           c.at - make_interval(mins => token_least + dice % (token_most - token_least + 1)) as token_at,
           case when until_least is not null
                then c.at + make_interval(hours => until_least + dice % (until_most - until_least + 1)) end as not_after
      from places p
      left join sample_star t using (state, slot)
     cross join names
     cross join sample_clock c
)
select id, state, slot, star, first_name, last_name, provider, dice, at, joined_at, token_at, has_session, not_after,
       unused, has_profile, address,
       case when provider = 'apple' and star is null and dice % 2 = 0 then left(hash, 10) || '@privaterelay.appleid.com'
            else address end as email,
       case when state in ('session-gone', 'deleted-token') and slot % 2 = 1 then token_at
            when token_at is not null then greatest(joined_at, token_at - make_interval(days => dice % 20)) end as signed_in_at,
       case when has_profile then row_number() over (partition by has_profile order by hash) - 1 end::int as place
  from people;

analyze sample_user;


-- ---- Logins and sessions --------------------------------------------------------------------------------------------------------

-- Only users who signed up by email have a password. Some users without a session signed in long ago; only the log has their time.
insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, confirmation_token,
                        confirmation_sent_at, recovery_token, email_change_token_new, email_change, last_sign_in_at, raw_app_meta_data,
                        raw_user_meta_data, created_at, updated_at, banned_until, deleted_at)
select '00000000-0000-0000-0000-000000000000', id, 'authenticated', 'authenticated', email,
       case provider when 'email' then '$2a$10$' || left(md5('salt/' || id) || md5('hash/' || id), 53) end,
       case when state <> 'unconfirmed' then joined_at + interval '4 minutes' end,
       case when state = 'unconfirmed' then md5('confirm/' || id) else '' end, case when provider = 'email' then joined_at end, '', '', '',
       case when state not in ('undated', 'undated-expired') then signed_in_at end,
       jsonb_build_object('provider', provider, 'providers', jsonb_build_array(provider)),
       jsonb_build_object('email', email, 'email_verified', state <> 'unconfirmed'),
       joined_at, coalesce(token_at, joined_at),
       case when state like 'banned%' then at + make_interval(days => 2 + dice % 60) when dice % 40 = 7 then at - interval '80 days' end,
       case when state in ('deleted', 'deleted-token', 'drift-deleted-profile') then at - make_interval(mins => 2 + dice % 3) end
  from sample_user;

insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at, id)
select sub, id, jsonb_build_object('sub', sub, 'email', email, 'email_verified', state <> 'unconfirmed'),
       provider, signed_in_at, joined_at, coalesce(signed_in_at, joined_at), md5('identity/' || id)::uuid
  from sample_user,
       lateral (select case provider when 'email' then id::text
                                     else '00' || lpad((dice % 10000)::text, 4, '0') || '.' || md5('sub/' || id) || '.1117' end) as s (sub)
 where state not in ('deleted', 'deleted-token');

-- Every third user is signed in on two devices. One session in four is of the newer kind, which doesn't store refresh tokens.
create temporary table sample_session as
select md5('session/' || device || '/' || u.id)::uuid as id, u.id as user_id, device, u.email, u.state, u.not_after, u.unused,
       u.unused and u.dice % 4 = 0 as is_newer,
       greatest(u.joined_at, u.signed_in_at - make_interval(days => device - 1)) as started_at,
       greatest(u.joined_at, u.token_at - make_interval(days => device - 1)) as token_at,
       case u.dice % 3 when 0 then 'LangChat/1.' || dice % 9 || ' CFNetwork/1498.700.2 Darwin/23.6.0'
                       else 'LangChat/1.' || dice % 9 || ' (' || (array['iPhone14,7', 'iPhone16,2', 'iPad13,18'])[1 + dice % 3] || ')' end
           as user_agent,
       case dice % 6 when 0 then '2001:db8:' || to_hex(dice % 65536) || '::' || 1 + dice % 9
                     else (array['192.0.2.', '198.51.100.', '203.0.113.'])[1 + dice % 3] || 1 + dice % 250 end::inet as ip
  from sample_user u,
       generate_series(1, case when u.dice % 3 = 0 and u.state not like 'undated%' then 2 else 1 end) as device
 where u.has_session;

insert into auth.sessions (id, user_id, created_at, updated_at, aal, refreshed_at, not_after, user_agent, ip, refresh_token_hmac_key,
                           refresh_token_counter)
select id, user_id, started_at, token_at, 'aal1', case when token_at > started_at then token_at at time zone 'UTC' end, not_after,
       user_agent, ip, case when is_newer then md5('hmac/' || id) end, case when is_newer then 1 + device end
  from sample_session;

insert into auth.mfa_amr_claims (session_id, created_at, updated_at, authentication_method, id)
select s.id, s.started_at, s.started_at, case u.provider when 'email' then 'password' else 'oauth' end, md5('amr/' || s.id)::uuid
  from sample_session s
  join sample_user u on u.id = s.user_id
 where s.started_at is not null;

-- Refresh tokens rotate: the first token of each session is used up; the second token is valid, or also used up.
insert into auth.refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
select '00000000-0000-0000-0000-000000000000', left(md5('token/' || turn || s.id), 12), s.user_id::text, turn = 1 or not s.unused,
       case turn when 1 then s.started_at else s.token_at end, s.token_at, case turn when 2 then left(md5('token/1' || s.id), 12) end, s.id
  from sample_session s, generate_series(1, 2) as turn
 where not s.is_newer
 order by s.started_at, s.id, turn;

-- The log: every sign-in, the last renewal of each session, and the end of some sessions.
insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
select '00000000-0000-0000-0000-000000000000', md5('log/' || e.action || e.thing)::uuid,
       json_build_object('action', e.action, 'actor_id', u.id, 'actor_username', u.email, 'actor_via_sso', false, 'log_type', e.type,
                         'traits', json_build_object('provider', u.provider)),
       e.at, coalesce(e.ip, '')
  from (select user_id, 'login' as action, 'account' as type, started_at as at, host(ip) as ip, id as thing from sample_session
         union all
        select user_id, 'token_refreshed', 'token', token_at, host(ip), id from sample_session where token_at > started_at
         union all
        select id, 'user_signedup', 'team', joined_at, null, id from sample_user
         union all
        select id, 'login', 'account', signed_in_at, null, id from sample_user where not has_session
         union all
        select id, 'token_refreshed', 'token', token_at, null, id from sample_user where not has_session and token_at > signed_in_at
         union all
        select id, 'logout', 'account', token_at + interval '3 minutes', null, id from sample_user
         where state in ('session-gone', 'signed-out') and slot % 2 = 0) as e
  join sample_user u on u.id = e.user_id
 where e.at is not null;

insert into auth.flow_state (id, user_id, provider_type, created_at, updated_at, authentication_method)
select md5('flow/' || id)::uuid, id, provider, joined_at, joined_at, 'oauth'
  from sample_user
 where provider = 'apple' and dice % 40 = 0;

insert into auth.one_time_tokens (id, user_id, token_type, token_hash, relates_to, created_at, updated_at)
select md5('once/' || id)::uuid, id, 'confirmation_token', md5('confirm/' || id), email, joined_at at time zone 'UTC',
       joined_at at time zone 'UTC'
  from sample_user
 where state = 'unconfirmed';


-- ---- Profiles -------------------------------------------------------------------------------------------------------------------

insert into public.profiles (id, first_name, last_name, email, bio, created_at, updated_at)
select id, first_name, last_name, address,
       case when star = 'mallory@example.com' then E'Click \x1B]8;;https://example.com\x07here\x1B]8;;\x07 \u202Enow'
            else (array['Here to get past small talk.', 'I correct your commas, you correct my tones.', 'Learning for my grandmother.',
                        'Moving abroad in spring.', 'Films first, grammar later.', null])[1 + dice % 6] end,
       joined_at + interval '6 minutes', coalesce(signed_in_at, joined_at) + interval '6 minutes'
  from sample_user
 where has_profile;

insert into public.user_preferences (user_id, discoverable, notifications, age_from, age_to, updated_at)
select id, dice % 11 > 0, dice % 4 > 0, 18 + dice % 12, 40 + dice % 40, joined_at + interval '8 minutes'
  from sample_user
 where has_profile;

insert into public.user_languages (user_id, language, level, learning)
select u.id, tongue[1 + (u.dice + n * 5) % 12],
       case n when 1 then 'native' else (array['A1', 'A2', 'B1', 'B2', 'C1'])[1 + (u.dice + n) % 5] end, n > 1
  from sample_user u
 cross join (select array['en', 'es', 'fr', 'de', 'ja', 'ko', 'zh', 'pt', 'it', 'ar', 'tr', 'pl'] as tongue) as t
 cross join lateral generate_series(1, 2 + u.dice % 2) as n
 where u.has_profile;


-- ---- Swipes, matches and messages -----------------------------------------------------------------------------------------------

-- Every user saw six other users. In each pair of users, both like each other, one likes the other, or neither does.
create temporary table sample_pair as
select distinct on (least(a.id, b.id), greatest(a.id, b.id)) md5('pair/' || least(a.id, b.id) || greatest(a.id, b.id)) as hash,
       least(a.id, b.id) as user_a, greatest(a.id, b.id) as user_b, greatest(a.joined_at, b.joined_at) as met_at, a.at,
       ('x' || substr(md5(least(a.id, b.id)::text || greatest(a.id, b.id)), 1, 7))::bit(28)::int as dice
  from sample_user a
 cross join generate_series(1, 6) as step
  join sample_user b on b.place = (a.place + step * step * 5 + step) % (select count(place) from sample_user)
 where a.id <> b.id
 order by least(a.id, b.id), greatest(a.id, b.id), step;

analyze sample_pair;

insert into public.swipes (id, swiper_id, swiped_id, liked, created_at)
select md5('swipe/' || turn || p.hash)::uuid, case turn when 1 then p.user_a else p.user_b end,
       case turn when 1 then p.user_b else p.user_a end, p.dice % 4 = 0 or turn = 1 and p.dice % 4 = 1,
       p.met_at + (p.at - p.met_at) * (p.dice % 50 + turn) / 200
  from sample_pair p, generate_series(1, 2) as turn
 where turn = 1 or p.dice % 4 < 3;

insert into public.matches (id, user_a, user_b, created_at)
select md5('match/' || p.hash)::uuid, p.user_a, p.user_b, p.met_at + (p.at - p.met_at) * (p.dice % 50 + 2) / 200
  from sample_pair p
 where p.dice % 4 = 0;

-- Four in five matches have a conversation. In one conversation of seven, only one user wrote.
insert into public.conversations (id, match_id, user_a, user_b, created_at)
select md5('conversation/' || p.hash)::uuid, m.id, m.user_a, m.user_b, m.created_at + interval '1 minute'
  from sample_pair p
  join public.matches m on m.user_a = p.user_a and m.user_b = p.user_b
 where p.dice % 20 > 0;

insert into public.messages (id, conversation_id, sender_id, body, created_at, read_at)
select md5('message/' || i || c.id)::uuid, c.id, case when p.dice % 7 = 0 or (p.dice + i * i) % 3 > 0 then c.user_a else c.user_b end,
       (array['Hi, how do you say this?', 'Ganz genau!', 'Mucho mejor que ayer.', 'Tu veux essayer en parlant ?',
              'Can you correct this one?', 'Almost: the verb goes last.', 'Arigato!', 'When are you free this week?',
              'That made me laugh.', 'Say it slowly, please.'])
       [1 + (p.dice + i) % 10],
       s.sent_at, case when i < n.messages or p.dice % 3 = 0 then s.sent_at + interval '2 minutes' end
  from sample_pair p
  join public.conversations c on c.id = md5('conversation/' || p.hash)::uuid
 cross join lateral (select 1 + p.dice / 4 % 24 as messages) as n
 cross join lateral generate_series(1, n.messages) as i
 cross join lateral (select c.created_at + (p.at - c.created_at) * i / (n.messages + 2) as sent_at) as s;


-- ---- Questions to Muse, feedback, reports and invites ---------------------------------------------------------------------------

insert into public.muse_interactions (id, user_id, kind, prompt, answer, created_at)
select md5('muse/' || i || u.id)::uuid, u.id, (array['icebreaker', 'translation', 'correction', 'explanation'])[1 + (u.dice + i) % 4],
       (array['How do I start?', 'What does this mean?', 'Is this right?', 'Why is it so?'])[1 + (u.dice + i) % 4],
       case when (u.dice + i) % 9 > 0 then 'Try it shorter.' end, u.joined_at + (u.at - u.joined_at) * i / 12
  from sample_user u
 cross join lateral generate_series(1, u.dice % 10) as i
 where u.has_profile and u.dice % 3 = 0;

insert into public.feedback (id, user_id, rating, message, app_version, created_at)
select md5('feedback/' || id)::uuid, id, 1 + dice % 5, 'More languages, please.', '1.' || dice % 9, joined_at + (at - joined_at) / 3
  from sample_user
 where has_profile and dice % 13 = 0;

-- Reports about all banned users, about some of them twice, and about a few other users.
insert into public.reported_users (id, reporter_id, reported_id, reason, details, created_at, reviewed_at)
select md5('report/' || turn || u.id)::uuid, r.id, u.id,
       (array['spam', 'harassment', 'fake_profile', 'other'])[1 + (u.dice + turn) % 4],
       case when turn = 1 then 'Asked for money in the second message.' end, u.at - make_interval(hours => 30 + turn * 7 + u.dice % 200),
       case when u.state like 'banned%' then u.at - make_interval(hours => 20 + turn) end
  from sample_user u
 cross join generate_series(1, 2) as turn
  join sample_user r on r.place = (u.place + turn * 41) % (select count(place) from sample_user)
 where (u.state like 'banned%' or u.star = 'mallory@example.com' or u.state = 'refreshable' and u.slot in (30, 60, 90))
   and (turn = 1 or u.dice % 2 = 0);

-- Every sixth user invited a friend, who signed up, can still sign up, or didn't sign up in time.
insert into public.invites (id, inviter_id, email, created_at, expires_at, accepted_at)
select md5('invite/' || u.id)::uuid, u.id,
       case when u.dice / 6 % 3 = 0 then f.address else 'friend.of.' || left(md5('friend/' || u.id), 8) || '@example.net' end,
       s.sent_at, s.sent_at + interval '30 days', case when u.dice / 6 % 3 = 0 then s.sent_at + interval '1 day' end
  from sample_user u
  join sample_user f on f.place = (u.place + 17) % (select count(place) from sample_user)
 cross join lateral (select case when u.dice / 6 % 3 = 1 then u.at - make_interval(days => 1 + u.dice % 20)
                                 else u.at - make_interval(days => 40 + u.dice % 60) end as sent_at) as s
 where u.dice % 6 = 0;


-- ---- Photos ---------------------------------------------------------------------------------------------------------------------

insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values ('photos', 'photos', true, 5242880, array['image/jpeg', 'image/heic']);

-- Every fourth user has photos. For one in five of these users, the service role stored the photos, so they have no owner.
insert into storage.objects (id, bucket_id, name, owner, owner_id, created_at, updated_at, last_accessed_at, metadata, version)
select md5('photo/' || i || u.id)::uuid, 'photos', u.id || '/' || i || '.jpg', case when u.dice % 5 > 0 then u.id end,
       case when u.dice % 5 > 0 then u.id::text end, u.joined_at + make_interval(mins => 9 + i), u.joined_at + make_interval(mins => 9 + i),
       u.at - make_interval(hours => u.dice % 400), jsonb_build_object('mimetype', 'image/jpeg', 'size', 90000 + (u.dice + i) % 900000),
       md5('version/' || i || u.id)
  from sample_user u
 cross join lateral generate_series(1, case when u.state = 'drift-half-deleted' then 2 else 1 + u.dice / 4 % 4 end) as i
 where u.has_profile and (u.dice % 4 = 0 or u.star in ('ludwik@example.com', 'constance@example.com', 'william@example.com'))
    or u.state = 'drift-half-deleted';


-- ---- Inconsistent data ----------------------------------------------------------------------------------------------------------

-- A match with only one like.
update public.swipes w
   set liked = false
  from public.matches m
 where w.swiper_id = m.user_b and w.swiped_id = m.user_a
   and m.id = (select id from public.matches order by id limit 1);

-- A conversation without messages that names another user than its match.
insert into public.conversations (id, match_id, user_a, user_b, created_at)
select md5('astray/' || m.id)::uuid, m.id, m.user_a, u.id, m.created_at
  from (select * from public.matches n
         where not exists (select from public.conversations c where c.match_id = n.id)
         order by n.id desc limit 1) as m
  join sample_user u on u.star = 'ludwik@example.com';

-- A message from a user who is not in the conversation.
insert into public.messages (id, conversation_id, sender_id, body, created_at)
select md5('stranger/' || c.id)::uuid, c.id, u.id, 'Wrong window, sorry.', u.at - interval '1 day'
  from sample_user u
 cross join lateral (select n.* from public.conversations n
                      where u.id not in (n.user_a, n.user_b) and n.id in (select conversation_id from public.messages)
                      order by n.id limit 1) as c
 where u.star = 'anne@example.com';

-- Leftovers of two deleted accounts: a report by the first, a report against the second, an accepted invite, and three photos.
insert into public.reported_users (id, reporter_id, reported_id, reason, created_at)
select md5('orphan/' || gone)::uuid, case gone when 1 then md5('gone/1')::uuid else u.id end,
       case gone when 1 then u.id else md5('gone/2')::uuid end, 'spam', u.at - make_interval(days => 90 + gone)
  from sample_user u, generate_series(1, 2) as gone
 where u.star = 'edith@example.com';

insert into public.invites (id, inviter_id, email, created_at, expires_at, accepted_at)
select md5('orphan/invite')::uuid, id, 'gone@example.net', at - interval '200 days', at - interval '170 days', at - interval '199 days'
  from sample_user
 where star = 'edith@example.com';

insert into storage.objects (id, bucket_id, name, owner, owner_id, created_at, updated_at, last_accessed_at, metadata, version)
select md5('left/' || gone || i)::uuid, 'photos', md5('gone/' || gone)::uuid || '/' || i || '.jpg', md5('gone/' || gone)::uuid,
       md5('gone/' || gone)::uuid::text, at - interval '190 days', at - interval '190 days', at - interval '100 days',
       jsonb_build_object('mimetype', 'image/jpeg', 'size', 210000 + i), md5('left version/' || gone || i)
  from sample_clock, (values (1, 1), (1, 2), (2, 1)) as f (gone, i);

-- Two sessions without dates.
update auth.sessions s
   set created_at = null, refreshed_at = null, updated_at = null
  from sample_user u
 where u.id = s.user_id and u.state like 'undated%';

drop table sample_pair, sample_session, sample_user, sample_star, sample_state, sample_clock;
