-- Distributes the rows of a user to the worker of the user; every worker has a copy of the shared tables.
set citus.enable_unsafe_triggers = on;
set citus.shard_count = 8;
set client_min_messages = warning;
select create_reference_table('public.subscription_config');
select create_reference_table('public.iap_webhook_events');
select create_distributed_table('auth.users', 'id');
select create_distributed_table('public.profiles', 'id', colocate_with => 'auth.users');
select create_distributed_table(t.name, 'user_id', colocate_with => 'auth.users')
  from unnest(array['auth.identities', 'auth.sessions', 'auth.mfa_factors', 'auth.one_time_tokens', 'public.impulse_quota',
                    'public.iap_subscriptions', 'public.iap_transactions', 'public.impulses', 'public.check_ins']) as t (name);
