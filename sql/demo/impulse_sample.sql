-- About 600 users of Impulse AI in every state of the decision access. Every load creates the same users. All times are relative to
-- the hour of the load, so that the demo always has recent data.

-- @default
-- @tour user show ada@example.com
-- @tour user why grace@example.com
-- @tour user find margaret
-- @tour user list --decision access=paywall --limit 5 --fields email,tier,status,trial_ends_at,subscription_end_date
-- @tour quota show
-- @tour doctor

create temporary table sample_clock as
select date_trunc('hour', now()) as at;

-- One row per state: the number of users, their profile, the hours since they signed up, and the hours until the paid time ends.
-- Each number of hours is a range in two columns.
create temporary table sample_state as
select * from (values
    --                        users  tier          status       flag     signed up      paid until       end date known
    ( 1, 'trial-running',       140, 'trial',      'active',    false,     4,   150,    null,  null,     false),
    ( 2, 'trial-ending',          6, 'trial',      'active',    false,   163,   165,    null,  null,     false),
    ( 3, 'trial-due',            12, 'trial',      'active',    false,   175,   500,    null,  null,     false),
    ( 4, 'trial-endless',         2, 'trial',      'active',    false,   300,   900,    null,  null,     false),
    ( 5, 'trial-expired',       120, 'trial',      'expired',   false,   240,  7000,    null,  null,     false),
    ( 6, 'trial-inactive',        4, 'trial',      'inactive',  false,   240,  4000,    null,  null,     false),
    ( 7, 'trial-cancelled',       2, 'trial',      'cancelled', false,   100,   140,    null,  null,     false),
    ( 8, 'partner',              24, 'partner',    'active',    true,    500,  9000,    null,  null,     false),
    ( 9, 'partner-expired',       3, 'partner',    'expired',   true,   2000,  9000,    null,  null,     false),
    (10, 'partner-inactive',      2, 'partner',    'inactive',  true,   2000,  9000,    null,  null,     false),
    (11, 'partner-cancelled',     1, 'partner',    'cancelled', true,   2000,  9000,    null,  null,     false),
    (12, 'foundation',          120, 'foundation', 'active',    false,  1000, 12000,      24,   700,     true),
    (13, 'mastery',              60, 'mastery',    'active',    false,  1000, 12000,      24,   700,     true),
    (14, 'paid-undated',          4, 'foundation', 'active',    false,  2000,  9000,     -90,   -50,     false),
    (15, 'cancelled-ahead',      24, 'foundation', 'cancelled', false,  1000,  9000,      24,   600,     true),
    (16, 'cancelled-ended',      20, 'foundation', 'cancelled', false,  5000, 12000,   -2000,   -24,     true),
    (17, 'cancelled-undated',     3, 'mastery',    'cancelled', false,  5000, 12000,      48,   400,     false),
    (18, 'foundation-expired',   40, 'foundation', 'expired',   false,  5000, 12000,   -3000,   -24,     true),
    (19, 'mastery-expired',      12, 'mastery',    'expired',   false,  5000, 12000,   -3000,   -24,     true),
    (20, 'paid-inactive',         5, 'mastery',    'inactive',  false,  5000, 12000,   -3000,   -24,     true),
    -- One user for each invariant that the sample breaks.
    (21, 'drift-no-flag',         1, 'partner',    'active',    false,  2000,  2000,    null,  null,     false),
    (22, 'drift-flag-only',       1, 'trial',      'active',    true,     60,    60,    null,  null,     false),
    (23, 'drift-store-row',       1, 'trial',      'expired',   false,  4000,  4000,   -1500, -1500,     false),
    (24, 'drift-past-end',        1, 'foundation', 'active',    false,  3000,  3000,     -30,   -30,     true),
    (25, 'drift-no-profile',      1, 'trial',      'active',    false,    20,    20,    null,  null,     false)
) as s (ord, state, users, tier, status, flag, joined_least, joined_most, ends_least, ends_most, dated);

-- Users with a fixed name, each with a state and a place among the users of this state. Hours are counted as above. The four
-- users with a fixed id are the API test users of the app.
create temporary table sample_star as
select * from (values
    --                     name                                                           signed up  paid  used     reset  id
    ('trial-running',      1, 'alan@example.com',      'Alan Turing',                 'apple',    72,  null,  1,  2, null, null),
    ('trial-running',      2, 'trial@example.com',     'Test Trial',                  'apple',    24,  null,  0,  0, null,  '1'),
    ('trial-running',      3, 'mallory@example.com',   E'Mal\u200Blory \x1B[31mred\x1B[0m \u202Ella', 'google', 30, null, 2, 1, null, null),
    ('trial-running',      4, 'twin@example.com',      'Tilda Twin',                  'google',   50,  null,  0,  1, null, null),
    ('trial-running',      5, 'misaki@example.org',    E'\u7F8E\u54B2 \u7530\u4E2D',  'apple',    90,  null,  3,  7, null, null),
    ('trial-due',          1, 'ada@example.com',       'Ada Lovelace',                'google',  216,  null,  3,  5, null, null),
    ('trial-expired',      1, 'niklaus@example.com',   'Niklaus Wirth',               'apple',   400,  null,  3,  6, null, null),
    ('partner',            1, 'margaret@example.com',  'Margaret Hamilton',           'apple',  5200,  null, 17, 40,   19, null),
    ('partner',            2, 'partner@example.com',   'Test Partner',                'google', 6000,  null,  0,  0,   25,  '4'),
    ('foundation',         1, 'grace@example.com',     'Grace Hopper',                'apple',  3100,   264, 30, 61,   11, null),
    ('foundation',         2, 'foundation@example.com','Test Foundation',             'google', 6000,   480,  0,  0,   20,  '2'),
    ('foundation',         3, 'Twin@Example.com',      'Tom Twin',                    'sso',    2400,   300,  4,  9,   12, null),
    ('foundation',         4, 'zoe@example.org',       E'Zo\u00EB \u0141ukaszewicz',  'google', 2900,   130, 30, 90,   -2, null),
    ('mastery',            1, 'katherine@example.com', 'Katherine Johnson',           'apple',  7100,   600, 12, 44,   25, null),
    ('mastery',            2, 'mastery@example.com',   'Test Mastery',                'apple',  6000,   480,  0,  0,   20,  '3'),
    ('cancelled-ahead',    1, 'linus@example.com',     'Linus Torvalds',              'google', 4100,   216, 21, 33,    9, null),
    ('cancelled-ended',    1, 'barbara@example.com',   'Barbara Liskov',              'apple',  6500,   -70,  8, 12,   -3, null),
    ('cancelled-undated',  1, 'edith@example.org',     'Edith Clarke',                'google', 6500,   200,  2,  3,    8, null),
    ('foundation-expired', 1, 'dennis@example.com',    'Dennis Ritchie',              'google', 8000,  -250, 30, 52,  -10, null),
    -- The test user of each @state.
    ('trial-expired', 11, 'test+fresh-trial@example.com', 'Test State', 'apple', null, null, null, null, null, null),
    ('trial-expired', 12, 'test+trial-expired@example.com', 'Test State', 'apple', null, null, null, null, null, null),
    ('trial-expired', 13, 'test+foundation-bought@example.com', 'Test State', 'apple', null, null, null, null, null, null),
    ('foundation', 5, 'test+quota-exhausted@example.com', 'Test State', 'apple', null, null, null, null, null, null),
    ('trial-expired', 15, 'test+cancelled-days-left@example.com', 'Test State', 'apple', null, null, null, null, null, null),
    ('trial-expired', 16, 'test+cancelled-ended@example.com', 'Test State', 'apple', null, null, null, null, null, null),
    ('trial-expired', 17, 'test+subscription-expired@example.com', 'Test State', 'apple', null, null, null, null, null, null),
    ('drift-no-flag',      1, 'joan@example.com',      'Joan Clarke',                 'apple',  2000,  null,  5,  6,   14, null),
    ('drift-flag-only',    1, 'radia@example.com',     'Radia Perlman',               'google',   60,  null,  1,  0, null, null),
    ('drift-store-row',    1, 'annie@example.com',     'Annie Easley',                'apple',  4000, -1500,  3,  7, null, null),
    ('drift-past-end',     1, 'edsger@example.com',    'Edsger Dijkstra',             'apple',  3000,   -30, 14, 20,    6, null),
    ('drift-no-profile',   1, 'ken@example.com',       'Ken Thompson',                'google',   20,  null,  0,  0, null, null)
) as s (state, slot, email, name, provider, joined, ends, impulses_used, check_ins_used, resets_in_days, digit);

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
           md5('impulse/' || s.state || '/' || slot) as hash,
           ('x' || substr(md5(s.state || ' ' || slot), 1, 7))::bit(28)::int as dice
      from sample_state s, generate_series(1, s.users) as slot
), people as (
    select p.*, t.email as star, t.impulses_used, t.check_ins_used, t.resets_in_days,
           coalesce(repeat(t.digit, 32), overlay(overlay(p.hash placing '4' from 13) placing 'a' from 17))::uuid as id,
           coalesce(t.name, first[1 + pick % 32] || ' ' || last[1 + pick / 32]) as name,
           coalesce(t.email, lower(first[1 + pick % 32] || '.' || last[1 + pick / 32])
                             || '@example.' || (array['com', 'org'])[1 + dice % 2]) as address,
           coalesce(t.provider, (array['apple', 'apple', 'google'])[1 + dice % 3]) as provider,
           t.email is null and dice % 9 < 4 and dice % 3 < 2 as hides_address,
           c.at,
           c.at - make_interval(hours => coalesce(t.joined, joined_least + dice % (joined_most - joined_least + 1))) as joined_at,
           c.at + make_interval(hours => coalesce(t.ends, ends_least + dice % (ends_most - ends_least + 1))) as paid_until
      from places p
      left join sample_star t using (state, slot)
     cross join names
     cross join sample_clock c
)
select id, state, slot, star, name, provider, dice, tier, status, flag, at, joined_at, paid_until,
       impulses_used, check_ins_used, resets_in_days,
       case when hides_address then left(hash, 10) || '@privaterelay.appleid.com' else address end as email,
       case when star = 'mallory@example.com' then E'mallory\u200B@example.com\u202E\x1B]0;owned\x07'
            when hides_address and dice % 5 > 0 then address end as notification_email,
       case when tier = 'partner' then (array['influencer', 'ambassador', 'marketing', 'beta_tester'])[1 + slot % 4] end as source,
       case when state <> 'trial-endless' then joined_at + interval '7 days' end as trial_ends_at,
       case when dated then paid_until end as subscription_end_date,
       case when status = 'cancelled' then least(at, paid_until) - make_interval(days => 1 + dice % 4) end as cancelled_at,
       tier in ('foundation', 'mastery') as pays,
       paid_until is not null and coalesce(star, '') not in ('foundation@example.com', 'mastery@example.com') as in_store,
       case when provider = 'google' then 'android' else 'ios' end as platform,
       case when tier = 'mastery' then 'im.mastery.monthly' else 'im.foundation.monthly' end as product,
       greatest(joined_at, least(at, at - make_interval(hours => case
           when state in ('trial-running', 'trial-ending', 'partner', 'foundation', 'mastery', 'cancelled-ahead') then dice % 72
           when status = 'active' then dice % 200
           else 200 + dice % 1500 end))) as seen_at
  from people;

analyze sample_user;


-- ---- Logins and sessions --------------------------------------------------------------------------------------------------------

-- The sign-up trigger creates the profiles.
insert into auth.users (instance_id, id, aud, role, email, email_confirmed_at, confirmation_token, recovery_token,
                        email_change_token_new, email_change, last_sign_in_at, raw_app_meta_data, raw_user_meta_data,
                        created_at, updated_at, is_sso_user)
select '00000000-0000-0000-0000-000000000000', id, 'authenticated', 'authenticated', email, joined_at, '', '',
       '', '', seen_at,
       jsonb_build_object('provider', provider, 'providers', jsonb_build_array(provider)),
       jsonb_build_object('full_name', name, 'email', email, 'email_verified', true),
       joined_at, seen_at, provider = 'sso'
  from sample_user;

insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at, id)
select sub, id, jsonb_build_object('sub', sub, 'email', email, 'email_verified', true, 'full_name', name),
       provider, seen_at, joined_at, seen_at, md5('identity/' || id)::uuid
  from sample_user,
       lateral (select case provider when 'google' then '1' || lpad((dice::bigint * 7919 % 1000000000000)::text, 20, '0')
                                     else '00' || lpad((dice % 10000)::text, 4, '0') || '.' || md5('sub/' || id) || '.0817' end) as s (sub);

-- Users who opened the app in the last month are signed in, every third user on two devices.
create temporary table sample_session as
select md5('session/' || device || '/' || u.id)::uuid as id, u.id as user_id, device, u.email, u.provider,
       greatest(u.joined_at, u.seen_at - make_interval(days => device * (dice % 19), hours => device)) as started_at, u.seen_at,
       'Impulse/2.' || dice % 6 || case u.platform
           when 'ios' then ' (' || (array['iPhone16,1', 'iPhone15,4', 'iPad14,3'])[1 + dice % 3] || '; iOS 18.' || dice % 4 || ')'
           else ' (' || (array['Pixel 8', 'SM-S921B', 'moto g84'])[1 + dice % 3] || '; Android 1' || 3 + dice % 3 || ')' end as user_agent,
       case dice % 5 when 0 then '2001:db8:' || to_hex(dice % 65536) || '::' || 1 + dice % 9
                     else (array['192.0.2.', '198.51.100.', '203.0.113.'])[1 + dice % 3] || 1 + dice % 250 end::inet as ip
  from sample_user u,
       generate_series(1, case when u.dice % 3 = 0 then 2 else 1 end) as device
 where u.seen_at > u.at - interval '30 days';

insert into auth.sessions (id, user_id, created_at, updated_at, aal, refreshed_at, user_agent, ip, refresh_token_counter)
select id, user_id, started_at, seen_at, 'aal1', seen_at at time zone 'UTC', user_agent, ip, device
  from sample_session;

insert into auth.mfa_amr_claims (session_id, created_at, updated_at, authentication_method, id)
select id, started_at, started_at, 'oauth', md5('amr/' || id)::uuid
  from sample_session;

-- Refresh tokens rotate: the first token of each session is used up, the second token is valid.
insert into auth.refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
select '00000000-0000-0000-0000-000000000000', left(md5('token/' || turn || s.id), 12), s.user_id::text, turn = 1,
       case turn when 1 then s.started_at else s.seen_at end, s.seen_at, case turn when 2 then left(md5('token/1' || s.id), 12) end, s.id
  from sample_session s, generate_series(1, 2) as turn
 order by s.started_at, s.id, turn;

insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
select '00000000-0000-0000-0000-000000000000', md5('log/' || id)::uuid,
       json_build_object('action', 'login', 'actor_id', user_id, 'actor_username', email, 'actor_via_sso', provider = 'sso',
                         'log_type', 'account', 'traits', json_build_object('provider', provider)),
       started_at, host(ip)
  from sample_session;

insert into auth.flow_state (id, user_id, provider_type, created_at, updated_at, authentication_method)
select md5('flow/' || id)::uuid, id, provider, joined_at, joined_at, 'oauth'
  from sample_user
 where dice % 60 = 0;

insert into auth.one_time_tokens (id, user_id, token_type, token_hash, relates_to, created_at, updated_at)
select md5('once/' || id)::uuid, id, 'email_change_token_new', md5('hash/' || id), email,
       seen_at at time zone 'UTC', seen_at at time zone 'UTC'
  from sample_user
 where star in ('barbara@example.com', 'dennis@example.com');


-- ---- Profiles and usage ---------------------------------------------------------------------------------------------------------

update public.profiles p
   set notification_email = u.notification_email,
       subscription_tier = u.tier,
       subscription_status = u.status,
       subscription_end_date = u.subscription_end_date,
       subscription_cancelled_at = u.cancelled_at,
       trial_started_at = u.joined_at,
       trial_ends_at = u.trial_ends_at,
       trial_converted = u.pays,
       is_partner = u.flag,
       partner_source = u.source,
       created_at = u.joined_at
  from sample_user u
 where p.id = u.id;

-- Inconsistent data: logins without a profile.
delete from public.profiles p
 using sample_user u
 where p.id = u.id and u.state = 'drift-no-profile';

-- Usage from 0 to the limit. One user in ten has no row. Of the users with a monthly limit, one in seven is due for a reset. A few
-- users who bought during their trial have no reset date yet.
insert into public.impulse_quota (user_id, impulses_used, check_ins_used, resets_at)
select u.id,
       coalesce(u.impulses_used, case when u.dice % 9 = 0 then c.impulse_limit else u.dice % (c.impulse_limit + 1) end),
       coalesce(u.check_ins_used, case when u.dice % 11 = 0 then c.check_in_limit else u.dice / 8 % (c.check_in_limit + 1) end),
       case when c.period = 'total' then null
            when u.resets_in_days is not null then u.at + make_interval(days => u.resets_in_days)
            when u.dice % 23 = 0 then null
            when u.dice % 7 = 0 then u.at - make_interval(days => 1 + u.dice % 9)
            else u.at + make_interval(days => 1 + u.dice % 28) end
  from sample_user u
  join public.profiles p on p.id = u.id
  join public.subscription_config c on c.tier = u.tier
 where u.star is not null or u.dice % 10 > 0;


-- ---- The stores -----------------------------------------------------------------------------------------------------------------

insert into public.iap_subscriptions (id, user_id, platform, platform_product_id, original_transaction_id, status, expires_date,
                                      auto_renew_enabled, created_at)
select md5('subscription/' || id)::uuid, id, platform, product, 'T' || left(md5('original/' || id), 14),
       case when state = 'drift-past-end' or state = 'paid-undated' and slot % 2 = 0 then 'billing_retry'
            when state in ('foundation', 'mastery') and slot in (20, 40, 60) then 'grace_period'
            when state in ('foundation', 'mastery', 'paid-undated', 'cancelled-ahead', 'cancelled-undated') then 'active'
            else 'expired' end,
       paid_until, status = 'active', joined_at + interval '5 days'
  from sample_user
 where in_store;

-- A payment for every thirty days, back from the end of the paid time to the sign-up, at most a year and a half.
insert into public.iap_transactions (id, user_id, subscription_id, platform, transaction_id, platform_product_id, kind, amount,
                                     purchased_at, expires_date, created_at)
select md5('payment/' || month || u.id)::uuid, u.id, s.id, u.platform, 'T' || left(md5('transaction/' || month || u.id), 14), u.product,
       case when month = months then 'purchase' else 'renewal' end, c.monthly_price, paid_at, paid_at + interval '30 days', paid_at
  from sample_user u
  join public.iap_subscriptions s on s.user_id = u.id
  join public.subscription_config c on c.product_id = u.product
 cross join lateral (select least(18, extract(epoch from u.paid_until - u.joined_at)::int / 2592000)) as m (months)
 cross join lateral generate_series(1, months) as month
 cross join lateral (select u.paid_until - make_interval(days => 30 * month)) as p (paid_at);

-- Refunds for some expired subscriptions.
insert into public.iap_transactions (id, user_id, subscription_id, platform, transaction_id, platform_product_id, kind, amount,
                                     purchased_at, created_at)
select md5('refund/' || u.id)::uuid, u.id, s.id, u.platform, 'T' || left(md5('refunded/' || u.id), 14), u.product,
       'refund', -c.monthly_price, u.paid_until - interval '1 hour', u.paid_until
  from sample_user u
  join public.iap_subscriptions s on s.user_id = u.id
  join public.subscription_config c on c.product_id = u.product
 where u.status = 'expired' and u.pays and u.slot % 5 = 0;

-- The webhooks of the stores: one for each payment, cancellation, failed renewal, expiry and refund.
create temporary table sample_event as
select u.id as user_id, u.product, u.platform, s.original_transaction_id, e.*
  from sample_user u
  join public.iap_subscriptions s on s.user_id = u.id
 cross join lateral (
    select case t.kind when 'purchase' then 'SUBSCRIBED' when 'renewal' then 'DID_RENEW' else 'REFUNDED' end as event_type,
           t.purchased_at as happened_at, t.expires_date, t.transaction_id
      from public.iap_transactions t
     where t.user_id = u.id
     union all
    select 'CANCEL', u.cancelled_at, u.paid_until, null
     where u.cancelled_at is not null
     union all
    select 'DID_FAIL_TO_RENEW', least(u.paid_until, u.at) - interval '1 day', u.paid_until, null
     where s.status in ('grace_period', 'billing_retry')
     union all
    select 'EXPIRED', u.paid_until, u.paid_until, null
     where u.status = 'expired' and (u.slot % 5 > 0 or not u.pays)
 ) as e;

insert into public.iap_webhook_events (event_id, event_type, environment, user_id, payload, received_at, processed_at)
select platform || '-' || left(md5(event_type || coalesce(transaction_id, '') || user_id), 16), event_type, 'production', user_id,
       jsonb_build_object('at', happened_at, 'platform', platform, 'product_id', product,
                          'original_transaction_id', original_transaction_id, 'transaction_id', transaction_id,
                          'expires_date', expires_date, 'app_account_token', user_id),
       happened_at + interval '40 seconds', happened_at + interval '42 seconds'
  from sample_event
 order by happened_at, user_id;

-- Unprocessed webhooks. Three hours ago the server for webhooks restarted, so these webhooks arrived but were not processed: a
-- purchase (niklaus paid and still sees the paywall), a renewal (edsger), a cancellation that is older than a processed renewal
-- (katherine), three other events, an event from the sandbox, and an event of an unknown user.
insert into public.iap_webhook_events (event_id, event_type, environment, user_id, payload, received_at)
select 'stuck-' || left(md5(e.name), 8) || '-' || e.minutes, e.event_type, e.environment, u.id,
       jsonb_build_object('at', c.at - make_interval(hours => e.happened), 'platform', coalesce(u.platform, 'ios'), 'product_id', e.product,
                          'original_transaction_id', coalesce(s.original_transaction_id, 'T' || left(md5('stuck/' || e.name), 14)),
                          'transaction_id', 'T' || left(md5('late/' || e.name), 14),
                          'expires_date', case when e.event_type in ('SUBSCRIBED', 'DID_RENEW') then c.at + interval '29 days'
                                               else u.paid_until end,
                          'app_account_token', coalesce(u.id, md5(e.name)::uuid)),
       c.at - make_interval(mins => e.minutes)
  from (values ('niklaus@example.com',   null,         null::int, 'SUBSCRIBED',        'production',   4, 180, 'im.foundation.monthly'),
               ('edsger@example.com',    null,         null,      'DID_RENEW',         'production',   3, 172, 'im.foundation.monthly'),
               ('katherine@example.com', null,         null,      'CANCEL',            'production', 140, 166, 'im.mastery.monthly'),
               ('a refund',              'foundation', 10,        'REFUNDED',          'production',   3, 158, 'im.foundation.monthly'),
               ('a cancellation',        'foundation', 11,        'CANCEL',            'production',   3, 151, 'im.foundation.monthly'),
               ('a failed renewal',      'foundation', 12,        'DID_FAIL_TO_RENEW', 'production',   3, 149, 'im.foundation.monthly'),
               ('mastery@example.com',   null,         null,      'DID_RENEW',         'sandbox',      3, 147, 'im.mastery.monthly'),
               ('nobody',                null,         null,      'DID_RENEW',         'production',   3, 143, 'im.mastery.monthly')
       ) as e (name, state, slot, event_type, environment, happened, minutes, product)
 cross join sample_clock c
  left join sample_user u on u.star = e.name or u.state = e.state and u.slot = e.slot
  left join public.iap_subscriptions s on s.user_id = u.id;

-- Processed webhooks from the sandbox.
insert into public.iap_webhook_events (event_id, event_type, environment, user_id, payload, received_at, processed_at)
select 'sandbox-' || minute, case minute when 1 then 'SUBSCRIBED' when 6 then 'EXPIRED' else 'DID_RENEW' end, 'sandbox',
       '33333333-3333-3333-3333-333333333333',
       jsonb_build_object('at', received_at, 'platform', 'ios', 'product_id', 'im.mastery.monthly', 'original_transaction_id', 'T-sandbox',
                          'transaction_id', 'T-sandbox-' || minute, 'expires_date', received_at + interval '5 minutes',
                          'app_account_token', '33333333-3333-3333-3333-333333333333'),
       received_at, received_at + interval '1 second'
  from sample_clock, generate_series(1, 6) as minute,
       lateral (select at - interval '20 days' + make_interval(mins => 5 * minute)) as r (received_at);


-- ---- What users wrote -----------------------------------------------------------------------------------------------------------

-- As many impulses as the usage counts, spread over the three weeks before the user last opened the app.
insert into public.impulses (id, user_id, title, body, created_at)
select md5('impulse/' || i || u.id)::uuid, u.id,
       (array['Walk before the first call', 'Ten slow breaths', 'Call someone I miss', 'Phone stays in the hall',
              'Cook instead of ordering', 'Write three lines', 'Bed by eleven', 'Stairs, not the lift', 'One thing at a time',
              'Say no once', 'Water first', 'Ask for help'])[1 + (u.dice + i) % 12],
       case when (u.dice + i) % 4 = 0 then 'Because last week it helped.' end,
       u.seen_at - (u.seen_at - greatest(u.joined_at, u.seen_at - interval '21 days')) * (i - 1) / q.impulses_used
  from sample_user u
  join public.impulse_quota q on q.user_id = u.id
 cross join lateral generate_series(1, q.impulses_used) as i;

insert into public.check_ins (id, user_id, impulse_id, mood, note, created_at)
select md5('check-in/' || i || u.id)::uuid, u.id,
       case when q.impulses_used > 0 then md5('impulse/' || 1 + i % q.impulses_used || u.id)::uuid end,
       1 + (u.dice + i * i) % 5,
       case (u.dice + i) % 6 when 0 then 'Went better than expected.' when 1 then 'Forgot, tomorrow again.' end,
       u.seen_at - (u.seen_at - greatest(u.joined_at, u.seen_at - interval '21 days')) * (i - 1) / q.check_ins_used
  from sample_user u
  join public.impulse_quota q on q.user_id = u.id
 cross join lateral generate_series(1, q.check_ins_used) as i;

insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values ('avatars', 'avatars', true,  2097152,   array['image/jpeg', 'image/png']),
       ('exports', 'exports', false, 104857600, array['application/zip']);

insert into storage.objects (id, bucket_id, name, owner, owner_id, created_at, updated_at, last_accessed_at, metadata, version)
select md5('avatar/' || id)::uuid, 'avatars', id || '/avatar.jpg', id, id::text, joined_at, joined_at, seen_at,
       jsonb_build_object('mimetype', 'image/jpeg', 'size', 20000 + dice % 90000), md5('version/' || id)
  from sample_user
 where dice % 20 = 0 or star in ('ada@example.com', 'grace@example.com', 'margaret@example.com', 'linus@example.com');

-- The service role writes the exports, so they have no owner.
insert into storage.objects (id, bucket_id, name, created_at, updated_at, last_accessed_at, metadata, version)
select md5('export/' || id)::uuid, 'exports', id || '/export.zip', seen_at, seen_at, seen_at,
       jsonb_build_object('mimetype', 'application/zip', 'size', 400000 + dice % 900000), md5('archive/' || id)
  from sample_user
 where star in ('ada@example.com', 'dennis@example.com');

drop table sample_event, sample_session, sample_user, sample_star, sample_state, sample_clock;
