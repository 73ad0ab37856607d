-- About 300 users of Pro Import Tools in every state of pro, and products in every state of the store. Every load creates the same
-- rows. All times are relative to the minute of the load.

-- @tour user show vannevar@example.com
-- @tour user why vannevar@example.com --assume store_state=failed
-- @tour code list
-- @tour check --limit 3

create temporary table sample_clock as
select date_trunc('minute', now()) as at;

-- One row per state: the number of users, their entitlement, the hours since they signed up, the hours until pro ends (NULL: no end),
-- and whether they are eligible for a free trial, had a trial, and got the trial reset. Each number of hours is a range in two
-- columns.
create temporary table sample_state as
select * from (values
    --                      users  pro    source         signed up       ends             eligible  had    forgiven
    ( 1, 'new',               90, false, null,             1,   900,    null,  null,      true,     false, false),
    ( 2, 'trial-used',        46, false, null,           400,  9000,    null,  null,      false,    true,  false),
    ( 3, 'trial-again',        4, false, null,          1200,  9000,    null,  null,      true,     true,  true),
    ( 4, 'trial-refused',      2, false, null,           400,  3000,    null,  null,      false,    false, false),
    ( 5, 'store',             58, true,  'store',        300,  9000,       6,   700,      false,    true,  false),
    ( 6, 'store-lifetime',    14, true,  'store',        300,  9000,    null,  null,      false,    false, false),
    ( 7, 'restore',           12, true,  'restore',     2000,  9000,       6,   700,      false,    true,  false),
    ( 8, 'restore-lifetime',   5, true,  'restore',     2000,  9000,    null,  null,      false,    false, false),
    ( 9, 'code',              16, true,  'unlock_code',   30,  4000,    null,  null,      true,     false, false),
    (10, 'code-dated',         4, true,  'unlock_code',   30,  4000,     100,  2000,      true,     false, false),
    (11, 'admin',              3, true,  'admin',         90,  4000,    null,  null,      true,     false, false),
    (12, 'admin-dated',        6, true,  'admin',         90,  4000,      20,   700,      false,    true,  false),
    (13, 'store-ended',       26, false, 'store',       3000, 12000,   -2000,   -24,      false,    true,  false),
    (14, 'restore-ended',      4, false, 'restore',     5000, 12000,   -2000,   -24,      false,    true,  false),
    (15, 'store-refunded',     3, false, 'store',        900,  3000,      60,   500,      false,    true,  false),
    (16, 'store-taken',        2, false, 'store',       3000,  9000,    null,  null,      false,    false, false),
    (17, 'code-ended',         3, false, 'unlock_code', 2500,  6000,   -2000,   -24,      true,     false, false),
    (18, 'code-taken',         1, false, 'unlock_code', 2500,  6000,    null,  null,      true,     false, false),
    (19, 'admin-ended',        4, false, 'admin',       2500,  6000,   -2000,   -24,      false,    true,  false),
    (20, 'admin-taken',        1, false, 'admin',       2500,  6000,    null,  null,      false,    true,  false),
    -- Users who break an invariant.
    (21, 'drift-overdue',      2, true,  'store',       3000,  6000,     -90,   -20,      false,    true,  false),
    (22, 'drift-overdue-gift', 1, true,  'admin',       3000,  6000,     -90,   -20,      false,    true,  false),
    (23, 'drift-sourceless',   1, true,  null,          3000,  6000,    null,  null,      true,     false, false),
    (24, 'drift-dated',        1, true,  null,          3000,  6000,     200,   300,      true,     false, false),
    (25, 'drift-code-unnamed', 1, true,  'unlock_code', 3000,  6000,    null,  null,      true,     false, false),
    (26, 'drift-trial-twice',  1, false, null,          3000,  6000,    null,  null,      true,     true,  false),
    (27, 'drift-no-profile',   1, false, null,            20,    40,    null,  null,      true,     false, false),
    (28, 'drift-no-entitlement', 2, false, null,          20,    90,    null,  null,      true,     false, false)
) as s (ord, state, users, is_pro, source, joined_least, joined_most, ends_least, ends_most, eligible, had_trial, forgiven);

-- Users with a fixed name, each with a state and a place among the users of this state.
create temporary table sample_star as
select * from (values
    ('new',                  1, 'vannevar@example.com',  'Vannevar Bush'),
    ('new',                  2, 'mallory@example.com',   E'Mal\u200Blory \x1B[31mred\x1B[0m \u202Ella'),
    -- The test user of each @state.
    ('new', 11, 'test+never-pro@example.com', 'Test State'),
    ('new', 12, 'test+trial-used@example.com', 'Test State'),
    ('new', 13, 'test+pro-store@example.com', 'Test State'),
    ('new', 14, 'test+pro-restore@example.com', 'Test State'),
    ('new', 15, 'test+pro-code@example.com', 'Test State'),
    ('new', 16, 'test+pro-ended@example.com', 'Test State'),
    ('new', 17, 'test+store-loading@example.com', 'Test State'),
    ('new', 18, 'test+store-loaded@example.com', 'Test State'),
    ('new', 19, 'test+store-failed@example.com', 'Test State'),
    ('new', 20, 'test+store-empty@example.com', 'Test State'),
    ('new', 21, 'test+store-purchasing@example.com', 'Test State'),
    ('new', 22, 'test+store-pending@example.com', 'Test State'),
    ('new', 23, 'test+store-purchase-failed@example.com', 'Test State'),
    ('trial-used',           1, 'ted@example.com',       'Ted Nelson'),
    ('trial-again',          1, 'adele@example.com',     'Adele Goldberg'),
    ('store',                1, 'douglas@example.com',   'Douglas Engelbart'),
    ('store-lifetime',       1, 'hedy@example.com',      'Hedy Lamarr'),
    ('restore',              1, 'susan@example.com',     'Susan Kare'),
    ('code',                 1, 'hal@example.com',       'Hal Abelson'),
    ('code',                 2, 'zoe@example.org',       E'Zo\u00EB \u0141ukaszewicz'),
    ('admin-dated',          1, 'karen@example.com',     'Karen Sparck Jones'),
    ('store-ended',          1, 'bill@example.com',      'Bill Atkinson'),
    ('store-refunded',       1, 'ivan@example.com',      'Ivan Sutherland'),
    ('drift-overdue',        1, 'lynn@example.com',      'Lynn Conway'),
    ('drift-sourceless',     1, 'alonzo@example.com',    'Alonzo Church'),
    ('drift-code-unnamed',   1, 'stephen@example.com',   'Stephen Kleene'),
    ('drift-no-profile',     1, 'emmy@example.com',      'Emmy Noether'),
    ('drift-no-entitlement', 1, 'rozsa@example.com',     E'R\u00F3zsa P\u00E9ter')
) as s (state, slot, email, name);

analyze sample_clock, sample_state, sample_star;

-- All users, with their computed dates. dice is an arbitrary number, which is the same for a user on every load.
create temporary table sample_user as
with names as (
    select array['Alba', 'Benno', 'Clara', 'David', 'Eva', 'Finn', 'Gina', 'Henri', 'Iris', 'Jakob', 'Karla', 'Leon', 'Maja', 'Nils',
                 'Oona', 'Paul', 'Rita', 'Saul', 'Tilda', 'Ugo', 'Vito', 'Willa', 'Yann', 'Zita', 'Arne', 'Berta', 'Carlo', 'Delia',
                 'Enzo', 'Flora', 'Gero', 'Hilda'] as first,
           array['Abel', 'Bosch', 'Conti', 'Dahl', 'Ernst', 'Fabre', 'Gallo', 'Holm', 'Ilic', 'Jensen', 'Keller', 'Lopez', 'Marino',
                 'Neumann', 'Ortiz', 'Pavlov', 'Quint', 'Romano', 'Santos', 'Thoma', 'Ulrich', 'Vidal', 'Wolf', 'Yilmaz', 'Zanetti', 'Auer',
                 'Blanc', 'Cruz', 'Dietz', 'Evers', 'Franco', 'Greco'] as last
), places as (
    select s.*, slot, (row_number() over (order by s.ord, slot) * 37 % 1024)::int as pick,
           md5('importer/' || s.state || '/' || slot) as hash,
           ('x' || substr(md5(s.state || ' ' || slot), 1, 7))::bit(28)::int as dice
      from sample_state s, generate_series(1, s.users) as slot
), people as (
    select p.*, t.email as star, c.at,
           overlay(overlay(p.hash placing '4' from 13) placing 'a' from 17)::uuid as id,
           coalesce(t.name, first[1 + pick % 32] || ' ' || last[1 + pick / 32]) as name,
           coalesce(t.email, lower(first[1 + pick % 32] || '.' || last[1 + pick / 32])
                             || '@example.' || (array['com', 'org'])[1 + dice % 2]) as email,
           c.at - make_interval(hours => joined_least + dice % (joined_most - joined_least + 1)) as joined_at,
           c.at + make_interval(hours => ends_least + dice % (ends_most - ends_least + 1)) as expires_at
      from places p
      left join sample_star t using (state, slot)
     cross join names
     cross join sample_clock c
)
select id, state, slot, star, name, email, dice, at, joined_at, expires_at, is_pro, source, eligible, had_trial, forgiven,
       case when source is not null or is_pro
            then joined_at + (least(at, expires_at) - joined_at) * (10 + dice % 60) / 100 end as granted_at,
       joined_at + (at - joined_at) / 20 as trial_at,
       greatest(joined_at, at - make_interval(hours => case when is_pro then dice % 100 else dice % 900 end)) as seen_at
  from people;

analyze sample_user;


-- ---- Logins and sessions --------------------------------------------------------------------------------------------------------

-- The sign-up trigger creates the profiles and the entitlements.
insert into auth.users (instance_id, id, aud, role, email, email_confirmed_at, confirmation_token, recovery_token,
                        email_change_token_new, email_change, last_sign_in_at, raw_app_meta_data, raw_user_meta_data,
                        created_at, updated_at)
select '00000000-0000-0000-0000-000000000000', id, 'authenticated', 'authenticated', email, joined_at, '', '',
       '', '', seen_at, '{"provider": "apple", "providers": ["apple"]}',
       jsonb_build_object('full_name', name, 'email', email, 'email_verified', true), joined_at, seen_at
  from sample_user;

insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at, id)
select sub, id, jsonb_build_object('sub', sub, 'email', email, 'email_verified', true), 'apple', seen_at, joined_at, seen_at,
       md5('identity/' || id)::uuid
  from sample_user,
       lateral (select '00' || lpad((dice % 10000)::text, 4, '0') || '.' || md5('sub/' || id) || '.0931') as s (sub);

-- Users who opened the app in the last two weeks are signed in.
create temporary table sample_session as
select md5('session/' || id)::uuid as id, id as user_id, email, seen_at,
       greatest(joined_at, seen_at - make_interval(days => dice % 25)) as started_at,
       'ImportTools/3.' || dice % 8 || ' (' || (array['Mac15,3', 'iPad14,5', 'MacBookPro18,1'])[1 + dice % 3] || ')' as user_agent,
       ((array['192.0.2.', '198.51.100.', '203.0.113.'])[1 + dice % 3] || 1 + dice % 250)::inet as ip
  from sample_user
 where seen_at > at - interval '14 days';

insert into auth.sessions (id, user_id, created_at, updated_at, aal, refreshed_at, user_agent, ip)
select id, user_id, started_at, seen_at, 'aal1', case when seen_at > started_at then seen_at at time zone 'UTC' end, user_agent, ip
  from sample_session;

insert into auth.refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, session_id)
select '00000000-0000-0000-0000-000000000000', left(md5('token/' || id), 12), user_id::text, false, seen_at, seen_at, id
  from sample_session
 order by started_at, id;

insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
select '00000000-0000-0000-0000-000000000000', md5('log/' || id)::uuid,
       json_build_object('action', 'login', 'actor_id', user_id, 'actor_username', email, 'actor_via_sso', false, 'log_type', 'account'),
       started_at, host(ip)
  from sample_session;


-- ---- Unlock codes ---------------------------------------------------------------------------------------------------------------

-- Codes that are usable, new, nearly used up, used up, expired and revoked. The last code has fewer counted uses than users who
-- redeemed the code. The codes are in clear text, because they work only in the demo.
insert into public.unlock_codes (code_hash, label, uses, used, expires_at, revoked_at, created_at)
select encode(sha256(convert_to(k.code, 'UTF8')), 'hex'), k.label, k.uses, k.used, c.at + make_interval(days => k.expires),
       c.at - make_interval(days => k.revoked), c.at - make_interval(days => k.created)
  from (values (1, 'OPEN-SESAME-2026',  'press and reviewers', 100, 6,   90, null::int, 280),
               (2, 'KEYNOTE-DEMO',      null,                  500, 0, null, null,        3),
               (3, 'BETA-CIRCLE-7',     'beta circle',           8, 7,   30, null,      260),
               (4, 'FRIENDS-OF-HAL',    'friends',               5, 5, null, null,      270),
               (5, 'SPRING-SALE',       'spring sale',          50, 3,  -40, null,      255),
               (6, 'LEAKED-ON-A-FORUM', 'newsletter',           50, 4,   60, 12,        265),
               (7, 'SUPPORT-COURTESY',  'support',              20, 1,  200, null,      300)
       ) as k (number, code, label, uses, used, expires, revoked, created)
 cross join sample_clock c
 order by k.number;


-- ---- Entitlements and trials ----------------------------------------------------------------------------------------------------

update public.profiles p
   set created_at = u.joined_at
  from sample_user u
 where p.id = u.id;

update public.entitlements e
   set is_pro = u.is_pro, source = u.source, expires_at = u.expires_at, granted_at = u.granted_at
  from sample_user u
 where e.user_id = u.id and (u.is_pro or u.source is not null);

-- The code that each user redeemed, in the order of the users' ids. The last code has one counted use, but three users redeemed it.
with redeemed as (
    select e.user_id, row_number() over (order by e.user_id) as place
      from public.entitlements e
      join sample_user u on u.id = e.user_id
     where e.source = 'unlock_code' and u.state <> 'drift-code-unnamed'
)
update public.entitlements e
   set unlock_code_id = c.id
  from redeemed r
  join public.unlock_codes c
    on c.label = case when r.place <= 6 then 'press and reviewers' when r.place <= 12 then 'beta circle' when r.place <= 15 then 'friends'
                      when r.place <= 18 then 'spring sale' when r.place <= 21 then 'newsletter' else 'support' end
 where e.user_id = r.user_id;

insert into public.trial_eligibility (user_id, eligible, used_at, reset_at, updated_at)
select id, eligible, case when had_trial then trial_at end, case when forgiven then at - make_interval(days => 1 + dice % 9) end, trial_at
  from sample_user
 where had_trial or not eligible;

-- Inconsistent data: logins without a profile or without an entitlement.
delete from public.profiles p
 using sample_user u
 where p.id = u.id and u.state = 'drift-no-profile';

delete from public.entitlements e
 using sample_user u
 where e.user_id = u.id and u.state = 'drift-no-entitlement';


-- ---- The store ------------------------------------------------------------------------------------------------------------------

-- Products in every state, and a product without a state. One purchase has been in progress for too long, and one state is days old.
insert into public.store_products (product_id, title, state, message, checked_at, created_at)
select p.product_id, p.title, p.state::public.store_state, p.message, c.at - make_interval(mins => p.minutes), c.at - interval '400 days'
  from (values ('pro.monthly',  'Pro, by the month',   'loaded',          null,                                     4),
               ('pro.yearly',   'Pro, by the year',    'failed',          'The network connection was lost.',      11),
               ('pro.lifetime', 'Pro for good',        'empty',           null,                                  4400),
               ('pro.family',   'Pro for a family',    'pending',         'Sent to the family organiser.',         33),
               ('pro.team',     'Pro for a team',      'purchasing',      null,                                   190),
               ('pro.student',  'Pro for students',    'purchase_failed', 'The payment was declined.',             25),
               ('pro.weekly',   'Pro, by the week',    'loading',         null,                                     0),
               ('pro.edu',      'Pro for schools',     null,              null,                                  null)
       ) as p (product_id, title, state, message, minutes)
 cross join sample_clock c;

drop table sample_session, sample_user, sample_star, sample_state, sample_clock;
