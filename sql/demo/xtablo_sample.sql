-- About 500 users of xtablo in 200 organisations, in every state of the decision billing. Every load creates the same users. All
-- times are relative to the hour of the load, the time of the latest event to the minute, so that the demo always has recent data.

-- @tour user show ada@example.com
-- @tour user why grace@example.com
-- @tour user why niklaus@example.com --assume purchase=received
-- @tour event list --unprocessed --fields event_id,event_type,environment,state
-- @tour check --limit 3

create temporary table sample_clock as
select date_trunc('hour', now()) as at, now() as loaded_at;

-- One row per state: the number of organisations, the members of each, and the hours until the trial ends (NULL: no trial).
-- Members and hours are ranges in two columns.
create temporary table sample_state as
select * from (values
    --                           organisations  people   trial ends in hours
    ( 1, 'trial-running',             36,        1, 5,      20,   320),
    ( 2, 'trial-over',                24,        1, 1,   -3000,   -24),
    ( 3, 'trial-over-team',           10,        2, 6,   -3000,   -24),
    ( 4, 'no-trial',                   4,        1, 3,    null,  null),
    ( 5, 'stripe-solo',               16,        1, 1,   -9000, -8000),
    ( 6, 'stripe-team',               20,        2, 9,   -9000, -8000),
    ( 7, 'stripe-annual',              4,        2, 8,   -9000, -8000),
    ( 8, 'stripe-trialing',            3,        2, 4,    null,  null),
    ( 9, 'stripe-past-due',            4,        1, 3,   -9000, -8000),
    (10, 'stripe-canceled',            8,        1, 2,   -9000, -8000),
    (11, 'stripe-unpaid',              2,        1, 1,   -9000, -8000),
    (12, 'stripe-incomplete',          1,        1, 1,    -900,  -800),
    (13, 'stripe-paused',              1,        1, 1,   -9000, -8000),
    (14, 'stripe-undated',             1,        2, 2,   -9000, -8000),
    (15, 'apple-solo',                20,        1, 1,   -9000, -8000),
    (16, 'apple-annual',              10,        1, 8,   -9000, -8000),
    (17, 'apple-trialing',             3,        1, 1,    null,  null),
    (18, 'apple-grace',                3,        1, 1,   -9000, -8000),
    (19, 'apple-retry',                2,        1, 1,   -9000, -8000),
    (20, 'apple-expired',              8,        1, 1,   -9000, -8000),
    (21, 'apple-refunded',             3,        1, 1,   -9000, -8000),
    (22, 'apple-revoked',              2,        1, 1,   -9000, -8000),
    (23, 'changed-over',               3,        1, 1,   -9000, -8000),
    (24, 'sandbox-only',               3,        1, 1,   -3000,   -24),
    (25, 'stripe-and-sandbox',         2,        1, 1,   -9000, -8000),
    -- Organisations with a paid plan that is not enough for their members.
    (26, 'apple-solo-for-many',        2,        3, 4,   -9000, -8000),
    (27, 'stripe-short',               2,        4, 6,   -9000, -8000),
    (28, 'stripe-solo-for-many',       1,        2, 2,   -9000, -8000),
    (29, 'trial-and-solo',             1,        3, 3,     100,   200),
    -- One or two organisations for each of the other broken invariants.
    (30, 'drift-paid-twice',           2,        1, 5,   -9000, -8000),
    (31, 'drift-past-end',             2,        1, 1,   -9000, -8000),
    (32, 'drift-no-owner',             1,        3, 3,   -3000, -2000),
    (33, 'drift-owner-not-member',     1,        3, 3,   -9000, -8000),
    (34, 'drift-product',              1,        1, 1,   -9000, -8000),
    (35, 'drift-customer',             1,        1, 1,   -9000, -8000)
) as s (ord, state, organisations, people_least, people_most, trial_least, trial_most);

-- The entitlement of the billing owner in each state. The plan has enough seats for all members, two seats too few, or one seat.
create temporary table sample_holding as
select * from (values
    --                        provider  plan      product                status          seats    ends in hours  environment
    ('stripe-solo',           'stripe', 'solo',   null,                  'active',        'one',    24,    700, 'production'),
    ('stripe-team',           'stripe', 'team',   null,                  'active',        'all',    24,    700, 'production'),
    ('stripe-annual',         'stripe', 'annual', null,                  'active',        'one',   800,   8000, 'production'),
    ('stripe-trialing',       'stripe', 'team',   null,                  'trialing',      'all',    24,    300, 'production'),
    ('stripe-past-due',       'stripe', 'team',   null,                  'past_due',      'all',   -90,    -10, 'production'),
    ('stripe-canceled',       'stripe', 'team',   null,                  'canceled',      'all', -3000,    -50, 'production'),
    ('stripe-unpaid',         'stripe', 'solo',   null,                  'unpaid',        'one',  -900,   -700, 'production'),
    ('stripe-incomplete',     'stripe', 'solo',   null,                  'incomplete',    'one',  null,   null, 'production'),
    ('stripe-paused',         'stripe', 'solo',   null,                  'paused',        'one',   100,    500, 'production'),
    ('stripe-undated',        'stripe', 'annual', null,                  'active',        'one',  null,   null, 'production'),
    ('apple-solo',            'apple',  'solo',   'solo_ios_monthly',    'active',        'one',    24,    700, 'production'),
    ('apple-annual',          'apple',  'annual', 'annual_ios',          'active',        'one',   800,   8000, 'production'),
    ('apple-trialing',        'apple',  'solo',   'solo_ios_monthly',    'trialing',      'one',    24,    160, 'production'),
    ('apple-grace',           'apple',  'annual', 'founder_ios_monthly', 'grace_period',  'one',   100,    300, 'production'),
    ('apple-retry',           'apple',  'solo',   'solo_ios_monthly',    'billing_retry', 'one',  -300,    -20, 'production'),
    ('apple-expired',         'apple',  'solo',   'solo_ios_monthly',    'expired',       'one', -3000,    -24, 'production'),
    ('apple-refunded',        'apple',  'annual', 'annual_ios',          'refunded',      'one',   500,   6000, 'production'),
    ('apple-revoked',         'apple',  'annual', 'founder_ios_monthly', 'active',        'one',   100,    500, 'production'),
    ('changed-over',          'stripe', 'solo',   null,                  'canceled',      'one', -3000,  -2000, 'production'),
    ('changed-over',          'apple',  'solo',   'solo_ios_monthly',    'active',        'one',    24,    700, 'production'),
    ('sandbox-only',          'apple',  'annual', 'annual_ios',          'active',        'one',     1,      1, 'sandbox'),
    ('stripe-and-sandbox',    'stripe', 'solo',   null,                  'active',        'one',    24,    700, 'production'),
    ('stripe-and-sandbox',    'apple',  'annual', 'annual_ios',          'active',        'one',     1,      1, 'sandbox'),
    ('apple-solo-for-many',   'apple',  'solo',   'solo_ios_monthly',    'active',        'one',    24,    700, 'production'),
    ('stripe-short',          'stripe', 'team',   null,                  'active',        'few',    24,    700, 'production'),
    ('stripe-solo-for-many',  'stripe', 'solo',   null,                  'active',        'one',    24,    700, 'production'),
    ('trial-and-solo',        'apple',  'solo',   'solo_ios_monthly',    'active',        'one',    24,    700, 'production'),
    ('drift-paid-twice',      'stripe', 'team',   null,                  'active',        'all',    24,    700, 'production'),
    ('drift-paid-twice',      'apple',  'annual', 'annual_ios',          'active',        'one',   800,   8000, 'production'),
    ('drift-past-end',        'apple',  'solo',   'solo_ios_monthly',    'active',        'one',   -40,    -30, 'production'),
    ('drift-owner-not-member','stripe', 'team',   null,                  'active',        'all',    24,    700, 'production'),
    ('drift-product',         'apple',  'team',   'solo_ios_monthly',    'active',        'one',    24,    700, 'production'),
    ('drift-customer',        'apple',  'solo',   'solo_ios_monthly',    'active',        'one',    24,    700, 'production')
) as h (state, provider, plan, product, status, seats, ends_least, ends_most, environment);

-- The named users. The first person of an organisation is its billing owner.
create temporary table sample_star as
select * from (values
    ('trial-running',          1, 1, 'alan@example.com',      'Alan Turing',                                            'google'),
    ('trial-running',          2, 1, 'mallory@example.com',   E'Mal\u200Blory \x1B[31mred\x1B[0m \u202Ella',            'google'),
    ('trial-running',          3, 1, 'misaki@example.org',    E'\u7F8E\u54B2 \u7530\u4E2D',                             'apple'),
    ('trial-over',             1, 1, 'ada@example.com',       'Ada Lovelace',                                           'email'),
    ('trial-over',             2, 1, 'linus@example.com',     'Linus Torvalds',                                         'apple'),
    ('trial-over',             3, 1, 'niklaus@example.com',   'Niklaus Wirth',                                          'apple'),
    ('trial-over',             4, 1, 'radia@example.com',     'Radia Perlman',                                          'apple'),
    -- The test user of each @state.
    ('trial-over', 11, 1, 'test+trial@example.com', 'Test State', 'email'),
    ('trial-over', 12, 1, 'test+unpaid@example.com', 'Test State', 'email'),
    ('trial-over', 13, 1, 'test+apple-annual@example.com', 'Test State', 'email'),
    ('trial-over', 14, 1, 'test+apple-refunded@example.com', 'Test State', 'email'),
    ('trial-over', 15, 1, 'test+sandbox-only@example.com', 'Test State', 'email'),
    ('trial-over', 16, 1, 'test+syncing@example.com', 'Test State', 'email'),
    ('trial-over-team',        1, 1, 'barbara@example.com',   'Barbara Liskov',                                         'google'),
    ('trial-over-team',        1, 2, 'edith@example.org',     'Edith Clarke',                                           'email'),
    ('stripe-team',            1, 1, 'grace@example.com',     'Grace Hopper',                                           'google'),
    ('stripe-team',            1, 2, 'zoe@example.org',       E'Zo\u00EB \u0141ukaszewicz',                             'google'),
    ('stripe-past-due',        1, 1, 'joan@example.com',      'Joan Clarke',                                            'email'),
    ('apple-solo',             1, 1, 'frances@example.com',   'Frances Allen',                                          'apple'),
    ('apple-annual',           1, 1, 'margaret@example.com',  'Margaret Hamilton',                                      'apple'),
    ('apple-expired',          1, 1, 'dennis@example.com',    'Dennis Ritchie',                                         'apple'),
    ('apple-refunded',         1, 1, 'john@example.com',      'John Backus',                                            'apple'),
    ('sandbox-only',           1, 1, 'tester@example.com',    'Tess Tester',                                            'email'),
    ('apple-solo-for-many',    1, 1, 'katherine@example.com', 'Katherine Johnson',                                      'apple'),
    ('drift-paid-twice',       1, 1, 'annie@example.com',     'Annie Easley',                                           'google'),
    ('drift-past-end',         1, 1, 'edsger@example.com',    'Edsger Dijkstra',                                        'apple'),
    ('unattached',             1, 1, 'tony@example.com',      'Tony Hoare',                                             'google'),
    ('drift-no-profile',       1, 1, 'ken@example.com',       'Ken Thompson',                                           'google')
) as s (state, slot, person, email, name, provider);

analyze sample_clock, sample_state, sample_holding, sample_star;

-- The organisations. dice is an arbitrary number, which is the same for an organisation on every load.
create temporary table sample_organization as
with words as (
    select array['Amber', 'Birch', 'Cedar', 'Delta', 'Ember', 'Fjord', 'Garnet', 'Harbour', 'Indigo', 'Juniper', 'Kestrel', 'Linden',
                 'Maple', 'North', 'Orchid', 'Pine'] as first,
           array['Archive', 'Atelier', 'Bakery', 'Books', 'Bureau', 'Crafts', 'Garage', 'Garden', 'Kitchen', 'Lab', 'Office', 'Press',
                 'School', 'Studio', 'Theatre', 'Works'] as last
), places as (
    select s.*, slot, (row_number() over (order by s.ord, slot) * 37 % 256)::int as pick,
           md5('xtablo/' || s.state || '/' || slot) as hash,
           ('x' || substr(md5('organisation ' || s.state || ' ' || slot), 1, 7))::bit(28)::int as dice
      from sample_state s, generate_series(1, s.organisations) as slot
)
select overlay(overlay(p.hash placing '4' from 13) placing 'b' from 17)::uuid as id, p.state, p.slot, p.dice, c.at,
       first[1 + pick % 16] || ' ' || last[1 + pick / 16] as name,
       people_least + dice % (people_most - people_least + 1) as people,
       t.trial_ends_at, coalesce(t.trial_ends_at - interval '14 days', c.at - make_interval(hours => 9400 + dice % 3000)) as founded_at
  from places p
 cross join words
 cross join sample_clock c
 cross join lateral (select c.at + make_interval(hours => trial_least + dice % (trial_most - trial_least + 1))) as t (trial_ends_at);

-- All users: in an organisation, without an organisation, and without a profile.
create temporary table sample_user as
with names as (
    select array['Aisha', 'Bruno', 'Chiara', 'Daniel', 'Elif', 'Farid', 'Greta', 'Hugo', 'Ines', 'Jonas', 'Keiko', 'Lena', 'Mateo', 'Nadia',
                 'Omar', 'Petra', 'Quinn', 'Rosa', 'Samir', 'Tessa', 'Umar', 'Vera', 'Wanda', 'Xenia', 'Yusuf', 'Zelda', 'Anton', 'Bella',
                 'Cyrus', 'Dora', 'Emil', 'Freya'] as first,
           array['Adler', 'Baker', 'Costa', 'Dubois', 'Eriksen', 'Fischer', 'Garcia', 'Haas', 'Ivanova', 'Jansen', 'Kovacs', 'Lindgren',
                 'Moreau', 'Novak', 'Okafor', 'Petrov', 'Quist', 'Rossi', 'Schmidt', 'Tanaka', 'Ueda', 'Vogel', 'Weber', 'Xu', 'Yilmaz',
                 'Zeman', 'Almeida', 'Brandt', 'Cohen', 'Duarte', 'Eklund', 'Ferrari'] as last
), people as (
    select o.id as organization_id, o.state, o.slot, person,
           o.founded_at - interval '1 hour' + (o.at - o.founded_at) * (person - 1) / (o.people + 1) as joined_at
      from sample_organization o, generate_series(1, o.people) as person
     union all
    select null, s.state, slot, 1, c.at - make_interval(days => 3 * slot)
      from sample_clock c, (values ('unattached', 8), ('drift-no-profile', 2)) as s (state, users), generate_series(1, s.users) as slot
), placed as (
    select p.*, (row_number() over (order by p.state, p.slot, p.person) * 37 % 1024)::int as pick,
           md5('xtablo/' || p.state || '/' || p.slot || '/' || p.person) as hash,
           ('x' || substr(md5(p.state || ' ' || p.slot || ' ' || p.person), 1, 7))::bit(28)::int as dice
      from people p
)
select overlay(overlay(p.hash placing '4' from 13) placing 'a' from 17)::uuid as id, p.organization_id, p.state, p.slot, p.person, p.dice,
       t.email as star, coalesce(t.name, first[1 + pick % 32] || ' ' || last[1 + pick / 32]) as name,
       coalesce(t.email, lower(first[1 + pick % 32] || '.' || last[1 + pick / 32])
                         || '@example.' || (array['com', 'org'])[1 + dice % 2]) as email,
       coalesce(t.provider, (array['email', 'google', 'apple', 'google'])[1 + dice % 4]) as provider,
       c.at, p.joined_at, greatest(p.joined_at, c.at - make_interval(hours => dice % 1200)) as seen_at
  from placed p
  left join sample_star t using (state, slot, person)
 cross join names
 cross join sample_clock c;

analyze sample_organization, sample_user;


-- ---- Logins and sessions --------------------------------------------------------------------------------------------------------

-- The sign-up trigger creates the profiles.
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

-- Users who opened the app in the last month are signed in on the web, and every third user also on the phone.
create temporary table sample_session as
select md5('session/' || device || '/' || u.id)::uuid as id, u.id as user_id, device, u.email, u.provider,
       greatest(u.joined_at, u.seen_at - make_interval(days => device * (dice % 19), hours => device)) as started_at, u.seen_at,
       case device when 1 then 'Mozilla/5.0 (' || (array['Macintosh', 'Windows NT 10.0', 'X11; Linux x86_64'])[1 + dice % 3] || ')'
                   else 'xtablo/1.' || dice % 9 || ' (iPhone16,1; iOS 18.' || dice % 4 || ')' end as user_agent,
       ((array['192.0.2.', '198.51.100.', '203.0.113.'])[1 + dice % 3] || 1 + dice % 250)::inet as ip
  from sample_user u,
       generate_series(1, case when u.dice % 3 = 0 then 2 else 1 end) as device
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

update public.profiles p
   set created_at = u.joined_at
  from sample_user u
 where p.id = u.id;

-- Inconsistent data: logins without a profile.
delete from public.profiles p
 using sample_user u
 where p.id = u.id and u.state = 'drift-no-profile';


-- ---- Organisations --------------------------------------------------------------------------------------------------------------

insert into public.organizations (id, name, billing_owner_id, trial_starts_at, trial_ends_at, created_at)
select o.id, o.name, case when o.state <> 'drift-no-owner' then u.id end, o.trial_ends_at - interval '14 days', o.trial_ends_at,
       o.founded_at
  from sample_organization o
  join sample_user u on u.organization_id = o.id and u.person = 1;

insert into public.organization_members (organization_id, user_id, role, created_at)
select organization_id, id, case when person = 1 or dice % 7 = 0 then 'admin' else 'member' end, joined_at + interval '1 hour'
  from sample_user
 where organization_id is not null and not (state = 'drift-owner-not-member' and person = 1);

-- Some users who pay for their own organisation are also members of an organisation with the annual plan.
insert into public.organization_members (organization_id, user_id, created_at)
select o.id, u.id, u.joined_at + interval '40 days'
  from sample_user u
  join sample_organization o on o.state = 'apple-annual' and o.slot = u.slot
 where u.state = 'stripe-solo' and u.slot <= 6;

-- margaret is the billing owner of two organisations; her entitlement counts for both organisations.
insert into public.organizations (id, name, billing_owner_id, trial_starts_at, trial_ends_at, created_at)
select md5('xtablo/second')::uuid, 'Apollo Archive', u.id, u.at - interval '300 days', u.at - interval '286 days',
       u.at - interval '300 days'
  from sample_user u
 where u.star = 'margaret@example.com';

insert into public.organization_members (organization_id, user_id, role, created_at)
select md5('xtablo/second')::uuid, u.id, case when u.star is null then 'member' else 'admin' end, u.at - interval '299 days'
  from sample_user u
 where u.star = 'margaret@example.com' or u.state = 'unattached' and u.slot = 2;

insert into public.organization_invites (id, organization_id, email, invited_by, created_at, accepted_at)
select md5('invite/' || u.id)::uuid, u.organization_id, u.email, o.billing_owner_id, u.joined_at, u.joined_at + interval '1 hour'
  from sample_user u
  join public.organizations o on o.id = u.organization_id
 where u.person > 1 and u.dice % 3 = 0
 union all
select md5('invite/' || o.id)::uuid, o.id, 'guest' || o.dice % 1000 || '@example.net', p.billing_owner_id, o.at - interval '5 days', null
  from sample_organization o
  join public.organizations p on p.id = o.id
 where o.dice % 9 = 0;

-- Up to five tablos per user.
insert into public.tablos (id, organization_id, created_by, title, created_at)
select md5('tablo/' || i || u.id)::uuid, u.organization_id, u.id,
       (array['Spring plan', 'Budget', 'Open questions', 'Who does what', 'Ideas', 'Deliveries', 'Next week', 'Interviews',
              'Suppliers', 'Retrospective'])[1 + (u.dice + i * 3) % 10],
       u.seen_at - (u.seen_at - u.joined_at) * i / 6
  from sample_user u, generate_series(1, u.dice % 6) as i
 where u.organization_id is not null;


-- ---- Stripe ---------------------------------------------------------------------------------------------------------------------

-- The entitlements of the owners, with their computed dates. A period is a month, or a year for annual products.
create temporary table sample_held as
select u.id as user_id, u.star, u.state, u.slot, o.people, o.dice, h.provider, h.plan, h.product, h.status, h.seats, h.environment, u.at,
       e.ends_at, p.period, p.periods, coalesce(e.ends_at - p.period * p.periods, o.at - interval '100 days') as began_at,
       'T' || left(md5('original/' || h.environment || u.id), 14) as original_transaction_id,
       case when u.dice % 4 = 0 then 'xtablo-' || left(md5('revenuecat/' || u.id), 12) else u.id::text end as app_user_id
  from sample_organization o
  join sample_user u on u.organization_id = o.id and u.person = 1
  join sample_holding h on h.state = o.state
 cross join lateral (select o.at + make_interval(hours => h.ends_least + o.dice % (h.ends_most - h.ends_least + 1))) as e (ends_at)
 cross join lateral (
    select case when h.environment = 'sandbox' then interval '1 day'
                when h.product = 'annual_ios' or h.provider = 'stripe' and h.plan = 'annual' then interval '365 days'
                else interval '30 days' end,
           case when h.product = 'annual_ios' or h.environment = 'sandbox' or h.status = 'trialing' then 1 else 1 + o.dice % 7 end
 ) as p (period, periods);

-- Inconsistent data: a member pays Apple for nothing, because another user is the billing owner.
insert into sample_held (user_id, star, state, slot, people, dice, provider, plan, product, status, seats, environment, at, ends_at, period,
                         periods, began_at, original_transaction_id, app_user_id)
select u.id, u.star, 'drift-member-pays', 1, 1, u.dice, 'apple', 'solo', 'solo_ios_monthly', 'active', 'one', 'production', u.at,
       u.at + interval '11 days', interval '30 days', 2, u.at - interval '49 days',
       'T' || left(md5('original/member' || u.id), 14), u.id::text
  from sample_user u
 where u.star = 'edith@example.org';

analyze sample_held;

insert into public.stripe_customers (user_id, stripe_customer_id, created_at)
select user_id, 'cus_' || left(md5('customer/' || user_id), 14), began_at
  from sample_held
 where provider = 'stripe';

insert into public.stripe_subscriptions (id, owner_user_id, stripe_customer_id, plan, status, quantity, current_period_start,
                                         current_period_end, cancel_at_period_end, created_at)
select 'sub_' || left(md5('subscription/' || user_id), 20), user_id, 'cus_' || left(md5('customer/' || user_id), 14), plan, status,
       case seats when 'all' then people + dice % 3 when 'few' then people - 2 else 1 end,
       ends_at - period, ends_at, status = 'active' and dice % 11 = 0, began_at
  from sample_held
 where provider = 'stripe';


-- ---- Apple ----------------------------------------------------------------------------------------------------------------------

insert into public.apple_customers (id, user_id, revenuecat_app_user_id, original_app_user_id, last_seen_environment, created_at)
select md5('apple customer/' || user_id)::uuid, user_id, app_user_id, '$RCAnonymousID:' || md5('anonymous/' || user_id), environment,
       began_at
  from sample_held
 where provider = 'apple';

-- The events of RevenueCat about each Apple subscription: the purchase, every renewal, and the end if it ended.
create temporary table sample_event as
select h.*, e.event_type, e.happened_at, e.starts_at, e.expires_at, e.turn, e.reason,
       'rc-' || left(md5(e.event_type || e.turn || h.original_transaction_id), 16) as event_id,
       'T' || left(md5('transaction/' || least(e.turn, h.periods) || h.original_transaction_id), 14) as transaction_id
  from sample_held h
 cross join lateral (
    select case turn when 1 then 'INITIAL_PURCHASE' else 'RENEWAL' end as event_type, s.starts_at as happened_at, s.starts_at,
           s.starts_at + h.period as expires_at, turn, null as reason
      from generate_series(1, h.periods) as turn
     cross join lateral (select h.ends_at - h.period * (h.periods - turn + 1)) as s (starts_at)
     union all
    select 'BILLING_ISSUE', least(h.at, h.ends_at) - interval '9 hours', h.ends_at - h.period, h.ends_at, 90, 'BILLING_ERROR'
     where h.status in ('grace_period', 'billing_retry')
     union all
    select 'EXPIRATION', h.ends_at, h.ends_at - h.period, h.ends_at, 91, 'UNSUBSCRIBE'
     where h.status = 'expired'
     union all
    select 'CANCELLATION', h.at - interval '50 hours', h.ends_at - h.period, h.ends_at, 92, 'CUSTOMER_SUPPORT'
     where h.status = 'refunded'
 ) as e
 where h.provider = 'apple';

-- Inconsistent data: a subscription whose plan doesn't match its product, and a subscription with the RevenueCat id of another user.
insert into public.apple_subscriptions (id, owner_user_id, revenuecat_app_user_id, store_product_id, plan, status, environment,
                                        original_transaction_id, transaction_id, current_period_start, current_period_end, revoked_at,
                                        raw_customer_id, last_event_type, created_at)
select md5('apple subscription/' || h.original_transaction_id)::uuid, h.user_id,
       case h.state when 'drift-customer' then 'xtablo-' || left(md5('somebody else'), 12) else h.app_user_id end,
       h.product, h.plan, h.status, h.environment, h.original_transaction_id, e.transaction_id, h.ends_at - h.period, h.ends_at,
       case when h.status = 'refunded' then h.at - interval '50 hours' when h.state = 'apple-revoked' then h.at - interval '70 hours' end,
       '$RCAnonymousID:' || md5('anonymous/' || h.user_id), e.event_type, h.began_at
  from sample_held h
  join lateral (select e.event_type, e.transaction_id
                  from sample_event e
                 where e.original_transaction_id = h.original_transaction_id
                 order by e.happened_at desc
                 limit 1) as e on true
 where h.provider = 'apple';

-- Unprocessed events. Three hours ago the function for webhooks failed, so these events arrived but were not processed.
create temporary table sample_stuck as
select s.*, u.id as user_id, coalesce(h.app_user_id, u.id::text) as app_user_id, h.original_transaction_id, h.ends_at,
       case when s.received < 60 then c.loaded_at else c.at end as at
  from (values
    --                                                                    product                happened  received minutes ago
    ('linus buys',       'trial-over',       2, 'INITIAL_PURCHASE',    'solo_ios_monthly',    181, 180),
    ('dennis renews',    'apple-expired',    1, 'RENEWAL',             'solo_ios_monthly',    175, 172),
    ('a cancellation',   'apple-solo',       2, 'CANCELLATION',        'solo_ios_monthly',    170, 166),
    ('an expiration',    'apple-retry',      1, 'EXPIRATION',          'solo_ios_monthly',    165, 161),
    ('too late',         'apple-solo',       1, 'CANCELLATION',        'solo_ios_monthly',  90000, 158),
    ('once more',        'apple-solo',      10, 'RENEWAL',             'solo_ios_monthly',   null, 155),
    ('a sandbox event',  'sandbox-only',     1, 'RENEWAL',             'annual_ios',          152, 151),
    ('a change to come', 'apple-solo',       4, 'PRODUCT_CHANGE',      'annual_ios',          150, 149),
    ('radia buys',       'trial-over',       4, 'INITIAL_PURCHASE',    'annual_ios',            3,   2),
    -- A person must check these events first: an unknown user, an unknown product, another login, or incomplete data.
    ('a stranger',       null,               0, 'INITIAL_PURCHASE',    'annual_ios',          145, 144),
    ('someone gone',     null,               0, 'RENEWAL',             'solo_ios_monthly',    143, 142),
    ('not for sale',     'apple-solo',       5, 'RENEWAL',             'lifetime_ios',        141, 140),
    ('niklaus restores', 'trial-over',       3, 'INITIAL_PURCHASE',    'annual_ios',          139, 138),
    ('a transfer',       null,               0, 'TRANSFER',            null,                  137, 136),
    ('the wrong world',  'apple-solo',       6, 'RENEWAL',             'solo_ios_monthly',    135, 134),
    ('the other name',   'apple-solo',       8, 'RENEWAL',             'solo_ios_monthly',    133, 132),
    ('something new',    'apple-solo',       7, 'SUBSCRIPTION_PAUSED', 'solo_ios_monthly',    131, 130),
    ('no date',          'apple-solo',       9, 'RENEWAL',             'solo_ios_monthly',   null, 128)
 ) as s (name, state, slot, event_type, product, happened, received)
 cross join sample_clock c
  left join sample_user u on u.state = s.state and u.slot = s.slot and u.person = 1
  left join sample_held h on h.user_id = u.id and h.provider = 'apple';

insert into public.apple_subscription_events (id, event_id, event_type, environment, payload, received_at, processed_at)
select md5('event/' || e.event_id)::uuid, e.event_id, e.event_type, e.environment,
       jsonb_build_object('api_version', '1.0', 'event', jsonb_strip_nulls(jsonb_build_object(
           'id', e.event_id, 'type', e.event_type, 'environment', upper(e.environment), 'store', 'APP_STORE',
           'period_type', case when e.status = 'trialing' then 'TRIAL' else 'NORMAL' end,
           'app_user_id', e.app_user_id, 'original_app_user_id', '$RCAnonymousID:' || md5('anonymous/' || e.user_id),
           'product_id', e.product, 'original_transaction_id', e.original_transaction_id, 'transaction_id', e.transaction_id,
           'cancel_reason', case e.event_type when 'CANCELLATION' then e.reason end,
           'expiration_reason', case e.event_type when 'EXPIRATION' then e.reason end,
           'event_timestamp_ms', floor(extract(epoch from e.happened_at) * 1000),
           'purchased_at_ms', floor(extract(epoch from e.starts_at) * 1000),
           'expiration_at_ms', floor(extract(epoch from e.expires_at) * 1000),
           'grace_period_expiration_at_ms', case when e.event_type = 'BILLING_ISSUE' and e.status = 'grace_period'
                                                 then floor(extract(epoch from e.expires_at) * 1000) end))),
       e.happened_at + interval '40 seconds', e.happened_at + interval '42 seconds'
  from sample_event e
 order by e.happened_at, e.event_id;

insert into public.apple_subscription_events (id, event_id, event_type, environment, payload, received_at)
select md5('stuck/' || s.name)::uuid, 'rc-stuck-' || left(md5(s.name), 8), s.event_type, w.environment,
       jsonb_build_object('api_version', '1.0', 'event', jsonb_strip_nulls(jsonb_build_object(
           'id', 'rc-stuck-' || left(md5(s.name), 8), 'type', s.event_type, 'environment', upper(w.environment), 'store', 'APP_STORE',
           'period_type', 'NORMAL',
           'app_user_id', case s.name when 'a stranger' then '$RCAnonymousID:' || md5('stranger')
                                      when 'someone gone' then '00000000-0000-4000-a000-000000000404'
                                      when 'the other name' then s.user_id::text
                                      else s.app_user_id end,
           'transferred_from', case s.name when 'a transfer' then jsonb_build_array(md5('from')) end,
           'transferred_to', case s.name when 'a transfer' then jsonb_build_array(md5('to')) end,
           'product_id', s.product,
           'original_transaction_id', case s.name when 'niklaus restores' then m.original_transaction_id
                                                  when 'a transfer' then null
                                                  else coalesce(s.original_transaction_id, 'T' || left(md5('stuck/' || s.name), 14)) end,
           'transaction_id', case when s.event_type in ('INITIAL_PURCHASE', 'RENEWAL') and s.name <> 'once more'
                                  then 'T' || left(md5('late/' || s.name), 14) else l.transaction_id end,
           'cancel_reason', case s.event_type when 'CANCELLATION' then 'UNSUBSCRIBE' end,
           'event_timestamp_ms', floor(extract(epoch from w.happened_at) * 1000),
           'purchased_at_ms', floor(extract(epoch from w.starts_at) * 1000),
           'expiration_at_ms', floor(extract(epoch from w.expires_at) * 1000)))),
       s.at - make_interval(mins => s.received)
  from sample_stuck s
  left join sample_event l on l.original_transaction_id = s.original_transaction_id and l.turn = l.periods
  left join sample_held m on m.star = 'margaret@example.com'
 cross join lateral (
    select case when s.name in ('a sandbox event', 'the wrong world') then 'sandbox' else 'production' end as environment,
           case s.name when 'once more' then l.happened_at else s.at - make_interval(mins => s.happened) end as happened_at,
           case when s.event_type in ('INITIAL_PURCHASE', 'RENEWAL') then s.at - make_interval(mins => s.happened) end as starts_at,
           case when s.event_type not in ('INITIAL_PURCHASE', 'RENEWAL') or s.name = 'once more' then s.ends_at
                when s.product = 'annual_ios' then s.at + interval '365 days'
                else s.at + interval '30 days' end as expires_at
 ) as w
 order by s.received desc;

-- Inconsistent data: a sandbox event that was applied to a production purchase. The last row is a test event of RevenueCat.
insert into public.apple_subscription_events (id, event_id, event_type, environment, payload, received_at, processed_at)
select md5('mixed/' || h.user_id)::uuid, 'rc-mixed-1', 'RENEWAL', 'sandbox',
       jsonb_build_object('api_version', '1.0', 'event', jsonb_build_object(
           'id', 'rc-mixed-1', 'type', 'RENEWAL', 'environment', 'SANDBOX', 'store', 'APP_STORE', 'app_user_id', h.app_user_id,
           'product_id', h.product, 'original_transaction_id', h.original_transaction_id,
           'event_timestamp_ms', floor(extract(epoch from h.at - interval '20 days') * 1000))),
       h.at - interval '20 days', h.at - interval '20 days'
  from sample_held h
 where h.state = 'apple-annual' and h.slot = 2
 union all
select md5('test event')::uuid, 'rc-test-1', 'TEST', 'sandbox',
       jsonb_build_object('api_version', '1.0', 'event', jsonb_build_object(
           'id', 'rc-test-1', 'type', 'TEST', 'environment', 'SANDBOX', 'app_user_id', 'test',
           'event_timestamp_ms', floor(extract(epoch from c.at - interval '100 days') * 1000))),
       c.at - interval '100 days', c.at - interval '100 days'
  from sample_clock c;


-- ---- Files ----------------------------------------------------------------------------------------------------------------------

insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values ('avatars', 'avatars', true, 2097152, array['image/jpeg', 'image/png']);

insert into storage.objects (id, bucket_id, name, owner, owner_id, created_at, updated_at, last_accessed_at, metadata, version)
select md5('avatar/' || id)::uuid, 'avatars', id || '/avatar.jpg', id, id::text, joined_at, joined_at, seen_at,
       jsonb_build_object('mimetype', 'image/jpeg', 'size', 20000 + dice % 90000), md5('version/' || id)
  from sample_user
 where dice % 20 = 0 or star in ('ada@example.com', 'grace@example.com', 'margaret@example.com');

drop table sample_stuck, sample_event, sample_held, sample_session, sample_user, sample_organization, sample_star, sample_holding,
           sample_state, sample_clock;
