# Adapts Impulse to Citus: its unique columns are unique within a user, and two uncorrelated selects replace a correlated select
# that Citus refuses.
s/on conflict (original_transaction_id)/on conflict (user_id, original_transaction_id)/
s/on conflict (transaction_id)/on conflict (user_id, transaction_id)/
s/^exists (select from public.iap_subscriptions s$/facts.payload ->> 'original_transaction_id' in (select s.original_transaction_id from public.iap_subscriptions s)/
s/^         where s.original_transaction_id = facts.payload ->> 'original_transaction_id' and s.user_id <> facts.user_id);$/and (facts.payload ->> 'original_transaction_id', facts.user_id) not in (select s.original_transaction_id, s.user_id from public.iap_subscriptions s);/
# Citus materializes a definition that joins a reference table with a distributed table wherever the definition is used. So only
# the rule that needs the profile reads it.
s/ e\.user_id, p\.id is not null as has_profile, / e.user_id, /
/^  left join customer p on p\.id = e\.user_id$/d
/^-- @refuse No user has the id in this event\.$/{
n
s/.*/facts.user_id is null or facts.user_id not in (select p.id from customer p);/
}
s/^  from event e$/  from (with e as materialized (select * from event where event_id = :key) select * from e) e/
s/^  left join (select u\.id, u\.email from users u$/  left join (with u as materialized (select u.id, u.email from users u/
s/^\(              where u\.id in (select w\.user_id from public\.iap_webhook_events w where w\.processed_at is null))\) u on /\1 select * from u) u on /
