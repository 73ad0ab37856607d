-- Citus requires the user's column in each key, and allows no unique key across users. Tables that don't reference a user keep
-- their keys.
do $$ declare c record; begin
  for c in select conrelid::regclass as t, conname from pg_constraint where contype = 'f' and connamespace in ('auth'::regnamespace,'public'::regnamespace) loop
    execute format('alter table %s drop constraint %I', c.t, c.conname); end loop; end $$;
alter table auth.users drop constraint users_phone_key;
drop index auth.users_email_partial_key;
alter table auth.identities drop constraint identities_pkey, drop constraint identities_provider_id_provider_key, add primary key (user_id, id);
alter table auth.sessions drop constraint sessions_pkey, add primary key (user_id, id);
alter table auth.mfa_factors drop constraint mfa_factors_pkey, drop constraint mfa_factors_last_challenged_at_key, add primary key (user_id, id);
alter table auth.one_time_tokens drop constraint one_time_tokens_pkey, add primary key (user_id, id);
alter table public.iap_subscriptions drop constraint iap_subscriptions_pkey, drop constraint iap_subscriptions_original_transaction_id_key, add primary key (user_id, id), add unique (user_id, original_transaction_id);
delete from public.iap_transactions where user_id is null;
alter table public.iap_transactions drop constraint iap_transactions_pkey, drop constraint iap_transactions_transaction_id_key, alter user_id set not null, add primary key (user_id, id), add unique (user_id, transaction_id);
alter table public.impulses drop constraint impulses_pkey, add primary key (user_id, id);
alter table public.check_ins drop constraint check_ins_pkey, add primary key (user_id, id);
drop trigger on_auth_user_created on auth.users;
