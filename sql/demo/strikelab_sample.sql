-- About 300 users of StrikeLab, with and without training, and a few with an incomplete profile. Every load creates the same users.
-- All times are relative to the hour of the load, so that the demo always has recent data.

-- @tour user show ken@example.com
-- @tour user why ada@example.com --assume session=true --assume subscribed=false --assume location=tabs
-- @tour user list --decision profile=incomplete --limit 5
-- @tour check --limit 3

create temporary table sample_clock as
select date_trunc('hour', now()) as at;

-- One row per state: the number of users, the hours since they signed up and last opened the app, and the rows that their profile has.
create temporary table sample_state as
select * from (values
    --                             users  signed up      seen at least   profile levels progress   tracker
    ( 1, 'trained',                  190,  300, 9000,        0,          true,   true,  9,         true),
    ( 2, 'lapsed',                    24, 4000, 9000,     1500,          true,   true,  9,         true),
    ( 3, 'beginner',                  60,    1,   90,        0,          true,   true,  9,         true),
    -- Accounts with an incomplete profile.
    ( 4, 'half-no-profile',            3,    2,  200,        0,          false,  false, 0,         false),
    ( 5, 'half-profile-only',          2,    2,  200,        0,          true,   false, 0,         false),
    ( 6, 'half-no-levels',             2,  300,  900,        0,          true,   false, 9,         true),
    ( 7, 'half-no-progress',           1,    2,  200,        0,          true,   true,  0,         true),
    ( 8, 'half-some-progress',         3,  900, 4000,        0,          true,   true,  6,         true),
    ( 9, 'half-no-tracker',            2,  300,  900,        0,          true,   true,  9,         false),
    (10, 'drift-address',              1, 2000, 2000,        0,          true,   true,  9,         true)
) as s (ord, state, users, joined_least, joined_most, unseen, profile, levels, progress, tracker);

-- Users with a fixed name, each with a state and a place among the users of this state.
create temporary table sample_star as
select * from (values
    ('trained',            1, 'ada@example.com',       'Ada Lovelace',                                'google', 5000),
    ('trained',            2, 'grace@example.com',     'Grace Hopper',                                'apple',  7400),
    ('trained',            3, 'mallory@example.com',   E'Mal\u200Blory \x1B[31mred\x1B[0m \u202Ella', 'google', 3000),
    ('trained',            4, 'zoe@example.org',       E'Zo\u00EB \u0141ukaszewicz',                  'google', 2900),
    ('trained',            5, 'misaki@example.org',    E'\u7F8E\u54B2 \u7530\u4E2D',                  'apple',   900),
    ('trained',            6, 'margaret@example.com',  'Margaret Hamilton',                           'apple',  6200),
    -- The test user of each @state.
    ('trained', 11, 'test+sign-in-only@example.com', 'Test State', 'apple', null),
    ('trained', 12, 'test+half-made@example.com', 'Test State', 'apple', null),
    ('trained', 13, 'test+beginner@example.com', 'Test State', 'apple', null),
    ('lapsed',             1, 'dennis@example.com',    'Dennis Ritchie',                              'google', 8000),
    ('beginner',           1, 'alan@example.com',      'Alan Turing',                                 'apple',    30),
    ('beginner',           2, 'linus@example.com',     'Linus Torvalds',                              'google',    2),
    ('half-no-profile',    1, 'ken@example.com',       'Ken Thompson',                                'google',   20),
    ('half-profile-only',  1, 'joan@example.com',      'Joan Clarke',                                 'apple',    26),
    ('half-no-levels',     1, 'edsger@example.com',    'Edsger Dijkstra',                             'apple',   600),
    ('half-no-progress',   1, 'niklaus@example.com',   'Niklaus Wirth',                               'apple',    40),
    ('half-some-progress', 1, 'annie@example.com',     'Annie Easley',                                'apple',  1500),
    ('half-no-tracker',    1, 'radia@example.com',     'Radia Perlman',                               'google',  700),
    ('drift-address',      1, 'katherine@example.com', 'Katherine Johnson',                           'google', 2000)
) as s (state, slot, email, name, provider, joined);

analyze sample_clock, sample_state, sample_star;

-- All users, with their computed dates. dice is an arbitrary number, which is the same for a user on every load.
create temporary table sample_user as
with names as (
    select array['Aisha', 'Bruno', 'Chiara', 'Daniel', 'Elif', 'Farid', 'Greta', 'Hugo', 'Ines', 'Jonas', 'Keiko', 'Lena', 'Mateo', 'Nadia',
                 'Omar', 'Petra', 'Quinn', 'Rosa', 'Samir', 'Tessa', 'Umar', 'Vera', 'Wanda', 'Xenia', 'Yusuf', 'Zelda', 'Anton', 'Bella',
                 'Cyrus', 'Dora', 'Emil', 'Freya'] as first,
           array['Adler', 'Baker', 'Costa', 'Dubois', 'Eriksen', 'Fischer', 'Garcia', 'Haas', 'Ivanova', 'Jansen', 'Kovacs', 'Lindgren',
                 'Moreau', 'Novak', 'Okafor', 'Petrov', 'Quist', 'Rossi', 'Schmidt', 'Tanaka', 'Ueda', 'Vogel', 'Weber', 'Xu', 'Yilmaz',
                 'Zeman', 'Almeida', 'Brandt', 'Cohen', 'Duarte', 'Eklund', 'Ferrari'] as last
), places as (
    select s.*, slot, (row_number() over (order by s.ord, slot) * 37 % 1024)::int as pick,
           md5('strikelab/' || s.state || '/' || slot) as hash,
           ('x' || substr(md5('striker ' || s.state || ' ' || slot), 1, 7))::bit(28)::int as dice
      from sample_state s, generate_series(1, s.users) as slot
), people as (
    select p.*, t.email as star, overlay(overlay(p.hash placing '4' from 13) placing 'a' from 17)::uuid as id,
           coalesce(t.name, first[1 + pick % 32] || ' ' || last[1 + pick / 32]) as name,
           coalesce(t.email, lower(first[1 + pick % 32] || '.' || last[1 + pick / 32])
                             || '@example.' || (array['com', 'org'])[1 + dice % 2]) as address,
           coalesce(t.provider, (array['apple', 'apple', 'google', 'email'])[1 + dice % 4]) as provider, c.at,
           c.at - make_interval(hours => coalesce(t.joined, joined_least + dice % (joined_most - joined_least + 1))) as joined_at
      from places p
      left join sample_star t using (state, slot)
     cross join names
     cross join sample_clock c
)
select id, state, slot, star, name, provider, dice, profile, levels, progress, tracker, at, joined_at,
       case when provider = 'apple' and star is null and dice % 9 < 4 then left(hash, 10) || '@privaterelay.appleid.com' else address end
           as email,
       greatest(joined_at, at - make_interval(hours => unseen + dice % case when state = 'lapsed' then 1500 else 200 end)) as seen_at,
       state in ('trained', 'lapsed', 'half-no-levels', 'half-some-progress', 'half-no-tracker', 'drift-address') as has_trained
  from people;

analyze sample_user;


-- ---- Logins and sessions --------------------------------------------------------------------------------------------------------

insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, confirmation_token, recovery_token,
                        email_change_token_new, email_change, last_sign_in_at, raw_app_meta_data, raw_user_meta_data,
                        created_at, updated_at)
select '00000000-0000-0000-0000-000000000000', id, 'authenticated', 'authenticated', email,
       case when provider = 'email' then '$2a$10$' || left(md5('salt/' || id) || md5('password/' || id), 53) end, joined_at, '', '',
       '', '', seen_at,
       jsonb_build_object('provider', provider, 'providers', jsonb_build_array(provider)),
       jsonb_build_object('full_name', name, 'email', email, 'email_verified', true), joined_at, seen_at
  from sample_user;

insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at, id)
select sub, id, jsonb_build_object('sub', sub, 'email', email, 'email_verified', true, 'full_name', name),
       provider, seen_at, joined_at, seen_at, md5('identity/' || id)::uuid
  from sample_user,
       lateral (select case provider when 'email' then id::text
                                     when 'google' then '1' || lpad((dice::bigint * 7919 % 1000000000000)::text, 20, '0')
                                     else '00' || lpad((dice % 10000)::text, 4, '0') || '.' || md5('sub/' || id) || '.0817' end) as s (sub);

-- Users who opened the app in the last month are signed in, every fifth user on two phones.
create temporary table sample_session as
select md5('session/' || device || '/' || u.id)::uuid as id, u.id as user_id, device, u.email, u.provider,
       greatest(u.joined_at, u.seen_at - make_interval(days => device * (dice % 19), hours => device)) as started_at, u.seen_at,
       'StrikeLab/1.' || dice % 8 || case when u.provider = 'google'
           then ' (' || (array['Pixel 8', 'SM-S921B', 'moto g84'])[1 + dice % 3] || '; Android 1' || 3 + dice % 3 || ')'
           else ' (' || (array['iPhone16,1', 'iPhone15,4', 'iPad14,3'])[1 + dice % 3] || '; iOS 18.' || dice % 4 || ')' end as user_agent,
       ((array['192.0.2.', '198.51.100.', '203.0.113.'])[1 + dice % 3] || 1 + dice % 250)::inet as ip
  from sample_user u,
       generate_series(1, case when u.dice % 5 = 0 then 2 else 1 end) as device
 where u.seen_at > u.at - interval '30 days';

insert into auth.sessions (id, user_id, created_at, updated_at, aal, refreshed_at, user_agent, ip, refresh_token_counter)
select id, user_id, started_at, seen_at, 'aal1', seen_at at time zone 'UTC', user_agent, ip, device
  from sample_session;

insert into auth.mfa_amr_claims (session_id, created_at, updated_at, authentication_method, id)
select id, started_at, started_at, case when provider = 'email' then 'password' else 'oauth' end, md5('amr/' || id)::uuid
  from sample_session;

-- Refresh tokens rotate: the first token of each session is used up, the second token is valid.
insert into auth.refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
select '00000000-0000-0000-0000-000000000000', left(md5('token/' || turn || s.id), 12), s.user_id::text, turn = 1,
       case turn when 1 then s.started_at else s.seen_at end, s.seen_at, case turn when 2 then left(md5('token/1' || s.id), 12) end, s.id
  from sample_session s, generate_series(1, 2) as turn
 order by s.started_at, s.id, turn;

insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
select '00000000-0000-0000-0000-000000000000', md5('log/' || id)::uuid,
       json_build_object('action', 'login', 'actor_id', user_id, 'actor_username', email, 'actor_via_sso', false,
                         'log_type', 'account', 'traits', json_build_object('provider', provider)),
       started_at, host(ip)
  from sample_session;


-- ---- Profiles and progress ------------------------------------------------------------------------------------------------------

insert into public.users (id, email, stance, created_at)
select id, case when state = 'drift-address' then 'kj@example.net' else email end,
       (array['orthodox', 'orthodox', 'southpaw', 'orthodox', 'switch'])[1 + dice % 5], joined_at
  from sample_user
 where profile;

-- The progress of each user in each category: it grows with the weeks since the sign-up, faster in some categories.
create temporary table sample_progress as
select u.id as user_id, k.name, k.position, w.points % 500 as xp, 1 + w.points / 500 as level
  from sample_user u
 cross join unnest(array['punches', 'kicks', 'elbows', 'knees', 'footwork', 'clinch', 'defensive', 'sweeps', 'feints'])
       with ordinality as k (name, position)
 cross join lateral (
    select case when u.has_trained
                then 20 + (extract(epoch from u.seen_at - u.joined_at)::int / 604800 + 1) * (5 + (u.dice / k.position::int) % 60)
                else 0 end
 ) as w (points);

insert into public.category_progress (user_id, name, xp, level)
select p.user_id, p.name, p.xp, p.level
  from sample_progress p
  join sample_user u on u.id = p.user_id
 where u.profile and p.position <= u.progress;

insert into public.user_levels (user_id, punches_level, punches_xp, kicks_level, kicks_xp, elbows_level, elbows_xp, knees_level, knees_xp,
                                footwork_level, footwork_xp, clinch_level, clinch_xp, defensive_level, defensive_xp,
                                sweeps_level, sweeps_xp, feints_level, feints_xp)
select p.user_id,
       max(p.level) filter (where p.name = 'punches'),   max(p.xp) filter (where p.name = 'punches'),
       max(p.level) filter (where p.name = 'kicks'),     max(p.xp) filter (where p.name = 'kicks'),
       max(p.level) filter (where p.name = 'elbows'),    max(p.xp) filter (where p.name = 'elbows'),
       max(p.level) filter (where p.name = 'knees'),     max(p.xp) filter (where p.name = 'knees'),
       max(p.level) filter (where p.name = 'footwork'),  max(p.xp) filter (where p.name = 'footwork'),
       max(p.level) filter (where p.name = 'clinch'),    max(p.xp) filter (where p.name = 'clinch'),
       max(p.level) filter (where p.name = 'defensive'), max(p.xp) filter (where p.name = 'defensive'),
       max(p.level) filter (where p.name = 'sweeps'),    max(p.xp) filter (where p.name = 'sweeps'),
       max(p.level) filter (where p.name = 'feints'),    max(p.xp) filter (where p.name = 'feints')
  from sample_progress p
  join sample_user u on u.id = p.user_id
 where u.profile and u.levels
 group by p.user_id;

-- The training days: the day of the sign-up, and every second to fifth day of the last two months.
insert into public.daily_xp_tracker (user_id, date, workout_count)
select u.id, d.day, max(d.workouts)
  from sample_user u
 cross join lateral (
    select (u.joined_at at time zone 'UTC')::date, 0
     union all
    select (u.seen_at at time zone 'UTC')::date - (2 + u.dice % 4) * i, 1 + (u.dice + i) % 3
      from generate_series(0, 60 / (2 + u.dice % 4)) as i
     where u.has_trained
 ) as d (day, workouts)
 where u.tracker and d.day >= (u.joined_at at time zone 'UTC')::date
 group by u.id, d.day;

insert into public.workouts (id, user_id, title, rounds, created_at)
select md5('workout/' || i || u.id)::uuid, u.id,
       (array['Jab and move', 'Low kicks', 'Elbows inside', 'Clinch and knees', 'Footwork ladder', 'Counter drills', 'Long rounds',
              'Feint, then kick', 'Bag burnout', 'Shadow boxing'])[1 + (u.dice + i * 3) % 10],
       3 + (u.dice + i) % 6, u.seen_at - (u.seen_at - u.joined_at) * i / 6
  from sample_user u, generate_series(1, u.dice % 5) as i
 where u.has_trained;


-- ---- Files ----------------------------------------------------------------------------------------------------------------------

insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values ('avatars', 'avatars', true, 2097152, array['image/jpeg', 'image/png']);

insert into storage.objects (id, bucket_id, name, owner, owner_id, created_at, updated_at, last_accessed_at, metadata, version)
select md5('avatar/' || id)::uuid, 'avatars', id || '/avatar.jpg', id, id::text, joined_at, joined_at, seen_at,
       jsonb_build_object('mimetype', 'image/jpeg', 'size', 20000 + dice % 90000), md5('version/' || id)
  from sample_user
 where dice % 20 = 0 or star in ('ada@example.com', 'grace@example.com', 'margaret@example.com');

drop table sample_progress, sample_session, sample_user, sample_star, sample_state, sample_clock;
