# What a unique column was for Impulse is one within a user here, and two uncorrelated selects stand for one that Citus refuses.
s/on conflict (original_transaction_id)/on conflict (user_id, original_transaction_id)/
s/on conflict (transaction_id)/on conflict (user_id, transaction_id)/
s/^exists (select from public.iap_subscriptions s$/facts.payload ->> 'original_transaction_id' in (select s.original_transaction_id from public.iap_subscriptions s)/
s/^         where s.original_transaction_id = facts.payload ->> 'original_transaction_id' and s.user_id <> facts.user_id);$/and (facts.payload ->> 'original_transaction_id', facts.user_id) not in (select s.original_transaction_id, s.user_id from public.iap_subscriptions s);/
