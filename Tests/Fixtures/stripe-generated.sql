-- The tables of Stripe's sync engine in their newer form: one JSON document in each row, and columns that Postgres generates from it.
-- There are no foreign keys, and statuses are texts.
create schema stripe;
do $$
declare
    one record;
begin
    for one in
        select *
          from (values
            ('customers', 'email:text name:text phone:text metadata:jsonb created:integer currency:text livemode:boolean deleted:boolean'),
            ('products', 'active:boolean name:text metadata:jsonb created:integer'),
            ('prices', 'active:boolean currency:text nickname:text unit_amount:integer product:text created:integer'),
            ('subscriptions', 'status:text customer:text cancel_at_period_end:boolean current_period_end:integer '
                              'current_period_start:integer canceled_at:integer ended_at:integer created:integer livemode:boolean '
                              'items:jsonb metadata:jsonb trial_end:jsonb latest_invoice:text'),
            ('subscription_items', 'subscription:text price:text quantity:integer deleted:boolean created:integer'),
            ('invoices', 'customer:text subscription:text currency:text status:text total:bigint amount_due:bigint amount_paid:bigint '
                         'amount_remaining:bigint billing_reason:text created:integer number:text customer_email:text'),
            ('charges', 'customer:text amount:bigint status:text created:integer currency:text failure_message:text '
                        'amount_refunded:bigint paid:boolean'),
            ('payment_intents', 'customer:text client_secret:text amount:bigint status:text created:integer'),
            ('payment_methods', 'customer:text type:text created:integer'),
            ('setup_intents', 'customer:text client_secret:text status:text created:integer'),
            ('checkout_sessions', 'customer:text client_secret:text customer_email:text status:text created:integer'),
            ('subscription_schedules', 'customer:text status:text created:integer'),
            ('tax_ids', 'customer:text type:text value:text created:integer'),
            ('credit_notes', 'customer:text amount:bigint created:integer'),
            ('active_entitlements', 'customer:text feature:text lookup_key:text')) as t (name, columns)
    loop
        execute format('create table stripe.%I (_raw_data jsonb, _last_synced_at timestamptz, _updated_at timestamptz default now(), '
                       '_account_id text, id text generated always as (_raw_data ->> ''id'') stored primary key)', one.name);
        execute (
            select 'alter table stripe.' || quote_ident(one.name) || ' '
                   || string_agg(format('add column %I %s generated always as ((_raw_data %s %L)::%s) stored', split_part(c, ':', 1),
                                        split_part(c, ':', 2), case when split_part(c, ':', 2) = 'jsonb' then '->' else '->>' end,
                                        split_part(c, ':', 1), split_part(c, ':', 2)), ', ')
              from unnest(string_to_array(one.columns, ' ')) c);
    end loop;
end
$$;
