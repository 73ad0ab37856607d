-- Users of Impulse AI in all states, for the tables of sql/demo/supabase_schema.sql and impulse_schema.sql; `users` is their
-- number. The rows of a user depend only on the user's number, so two databases of one size have equal rows. The keys are
-- digests, so that the order of the rows in a table differs from the order of their keys.
set session_replication_role = replica;
set synchronous_commit = off;

create function pg_temp.id(kind text, n bigint) returns uuid language sql immutable as $$ select md5(kind || n)::uuid $$;

-- Half of the users have a trial that has ended and is still marked active, on twenty different days. The other users have
-- every other state.
create temporary table made as
select n, pg_temp.id('user', n) as id, 'user' || n || '@example.com' as email, n % 20 as state, now() - (n % 700) * interval '1 day' as since
  from generate_series(1, :users) n;

insert into auth.users (instance_id, id, aud, role, email, raw_app_meta_data, raw_user_meta_data, created_at, last_sign_in_at, is_sso_user)
select '00000000-0000-0000-0000-000000000000', m.id, 'authenticated', 'authenticated', m.email,
       jsonb_build_object('provider', case m.n % 3 when 0 then 'apple' else 'google' end),
       jsonb_build_object('full_name', 'Person ' || m.n), m.since, now() - (m.n % 90) * interval '1 hour', false
  from made m;

insert into public.profiles (id, email, notification_email, auth_provider, subscription_tier, subscription_status, subscription_end_date,
                             subscription_cancelled_at, trial_started_at, trial_ends_at, trial_converted, is_partner, partner_source, created_at)
select m.id, m.email, case when m.n % 5 = 0 then 'news' || m.n || '@example.net' end, case m.n % 3 when 0 then 'apple' else 'google' end,
       s.tier, s.status, now() + s.ends, case when s.status = 'cancelled' then now() - interval '9 days' end, m.since,
       case when s.tier = 'trial' then now() + s.ends else m.since + interval '7 days' end,
       s.tier in ('foundation', 'mastery'), s.tier = 'partner', case when s.tier = 'partner' then 'marketing' end, m.since
  from made m
 cross join lateral (
       select case when m.state < 12 then 'trial' when m.state < 15 then 'foundation' when m.state < 17 then 'mastery'
                   when m.state < 19 then 'partner' else 'foundation' end as tier,
              case m.state when 11 then 'expired' when 13 then 'cancelled' when 14 then 'cancelled' when 16 then 'expired'
                           when 18 then 'expired' when 19 then 'inactive' else 'active' end as status,
              case when m.state < 10 then - (1 + m.n % 20) * interval '1 day'
                   when m.state = 10 then (1 + m.n % 14) * interval '1 day'
                   when m.state = 11 then - interval '30 days'
                   when m.state in (12, 13, 15) then (1 + m.n % 28) * interval '1 day'
                   when m.state in (14, 16, 19) then - interval '3 days' end as ends) s
 where m.n % 40 <> 39;

insert into public.impulse_quota (user_id, impulses_used, check_ins_used, resets_at)
select p.id, m.n % 31, m.n % 91, case when m.state >= 12 then now() + (m.n % 40 - 10) * interval '1 day' end
  from made m join public.profiles p on p.id = m.id where m.n % 10 < 7;

insert into public.iap_subscriptions (id, user_id, platform, platform_product_id, original_transaction_id, status, expires_date, auto_renew_enabled)
select pg_temp.id('subscription', m.n), p.id, case m.n % 3 when 0 then 'ios' else 'android' end,
       case p.subscription_tier when 'mastery' then 'im.mastery.monthly' else 'im.foundation.monthly' end, 'original' || m.n,
       case m.state when 12 then case m.n % 60 when 12 then 'grace_period' when 32 then 'billing_retry' else 'active' end
                    when 15 then 'active' when 13 then 'active' else 'expired' end,
       p.subscription_end_date, m.state in (12, 15)
  from made m join public.profiles p on p.id = m.id where m.state between 12 and 16 or m.state = 19;

insert into public.iap_transactions (id, user_id, subscription_id, platform, transaction_id, platform_product_id, kind, amount, purchased_at)
select pg_temp.id('transaction', m.n * 4 + k), s.user_id, s.id, s.platform, 'transaction' || m.n || '.' || k, s.platform_product_id,
       case k when 1 then 'purchase' else 'renewal' end, 6, now() - k * interval '30 days'
  from made m join public.iap_subscriptions s on s.user_id = m.id, generate_series(1, 3) k;

insert into public.iap_webhook_events (event_id, event_type, environment, user_id, payload, received_at, processed_at)
select 'event' || m.n, case m.n % 2 when 0 then 'DID_RENEW' else 'SUBSCRIBED' end, 'production', m.id,
       jsonb_build_object('app_account_token', m.id, 'n', m.n), now() - (m.n % 1000) * interval '1 hour',
       case when m.n % 500 <> 0 then now() - (m.n % 1000) * interval '1 hour' end
  from made m where m.n % 3 = 0;

insert into public.impulses (id, user_id, title, body, created_at)
select pg_temp.id('impulse', m.n * 4 + k), p.id, 'Impulse ' || k, repeat('a thought ', 6), m.since + k * interval '1 day'
  from made m join public.profiles p on p.id = m.id, generate_series(1, 2) k where m.n % 5 < 3;

insert into public.check_ins (id, user_id, impulse_id, mood, note, created_at)
select pg_temp.id('check-in', m.n * 4 + k), p.id, pg_temp.id('impulse', m.n * 4 + k), 1 + m.n % 5, 'noted', m.since + k * interval '2 days'
  from made m join public.profiles p on p.id = m.id, generate_series(1, 2) k where m.n % 5 < 3;

insert into auth.identities (id, provider_id, user_id, identity_data, provider, last_sign_in_at, created_at)
select pg_temp.id('identity', m.n), m.n::text, m.id, jsonb_build_object('email', m.email), case m.n % 3 when 0 then 'apple' else 'google' end, now(), m.since from made m;

insert into auth.sessions (id, user_id, created_at, refreshed_at, aal, user_agent)
select pg_temp.id('session', m.n), m.id, now() - (m.n % 90) * interval '1 hour', now() - (m.n % 90) * interval '1 hour', 'aal1', 'Impulse/1.0'
  from made m where m.n % 2 = 0;

-- Indexes that `usher doctor` recommends for many users; the queries of psql use them as well.
create index on public.profiles (lower(email) text_pattern_ops);
create index on public.profiles (lower(notification_email) text_pattern_ops);
create index on auth.users (lower(email::text) text_pattern_ops);
