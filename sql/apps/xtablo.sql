-- xtablo. The billing owner, a member of an organisation, pays for all its members through Stripe or Apple. If the owner has several
-- plans, only the best plan counts, and seats are never added up. The paywall also depends on facts that only the phone has.

-- @app xtablo  xtablo
-- @requires public.organizations.billing_owner_id
-- @requires public.apple_subscription_events.event_id
-- @requires public.stripe_subscriptions
-- @include ./xtablo/screens.sql
-- @include ./xtablo/apple.sql
-- @include supabase

-- @elsewhere invoice in_* : Invoices are at Stripe, not in this database.
-- @link Stripe https://dashboard.stripe.com/search?query={text}

-- @elsewhere payment pi_* : Payments and payment methods are at Stripe, not in this database.
-- @link Stripe https://dashboard.stripe.com/search?query={text}

-- @elsewhere charge ch_* : Charges are at Stripe, not in this database.
-- @link Stripe https://dashboard.stripe.com/search?query={text}

-- @elsewhere apple-order M*#* : Apple's order numbers are not in this database.
-- @link Apple https://appstoreconnect.apple.com/

-- @users
-- @key id
-- @email email, sign_in_email
-- @search name, email, sign_in_email, phone, revenuecat_app_user_id, stripe_customer_id
-- @columns name, email, pays_for
-- @fact sign_in_email : The email of the login, which can differ from the email in the profile.
-- @fact updated_at : When the profile last changed.
-- @fact has_profile : Yes if sign-up created the profile. Without a profile, a user can't be in an organisation.
-- @link Stripe https://dashboard.stripe.com/customers/{stripe_customer_id}
select a.id, coalesce(p.name, a.raw_user_meta_data ->> 'full_name') as name, coalesce(p.email, a.email) as email, a.email as sign_in_email, a.phone,
       p.id is not null as has_profile, c.revenuecat_app_user_id, c.last_seen_environment, s.stripe_customer_id,
       (select string_agg(o.name, ', ' order by o.name) from public.organizations o where o.billing_owner_id = a.id) as pays_for,
       a.created_at, p.updated_at, a.last_sign_in_at
  from auth.users a
  left join public.profiles p on p.id = a.id
  left join public.apple_customers c on c.user_id = a.id
  left join public.stripe_customers s on s.user_id = a.id;

-- @select owners  Users who pay for an organisation.
pays_for is not null;

-- @select apple  Users who have a RevenueCat id.
revenuecat_app_user_id is not null;

-- @select unattached  Users who are not in an organisation.
not exists (select from membership m where m.user_id = facts.id);

-- ---- Plans, products and entitlements -------------------------------------------------------------------------------------------
-- @define plan (name, weight)  The weight of each plan. A heavier plan wins over a lighter plan.
values ('annual', 3), ('team', 2), ('solo', 1);

-- @define product (id, plan)  The plan of each Apple product, by the id of the product. Apple doesn't sell the team plan.
values ('solo_ios_monthly', 'solo'), ('founder_ios_monthly', 'annual'), ('annual_ios', 'annual');

-- @define health (status, pays, points)  The statuses, and whether each counts as paid. A status with more points is better. Other statuses don't count as paid.
values ('active', true, 12), ('trialing', true, 11), ('grace_period', true, 10), ('past_due', true, 9), ('billing_retry', true, 8),
       ('paused', false, 7), ('unpaid', false, 6), ('incomplete', false, 5), ('canceled', false, 4), ('expired', false, 3),
       ('incomplete_expired', false, 2), ('revoked', false, 1), ('refunded', false, 0);

-- @define entitlement  All entitlements from Stripe and Apple. The entitlement with the greatest array `standing` wins: paid entitlements come
--    first, then the heaviest plan, then the healthiest status, then the latest end.
select e.owner_user_id, e.provider, e.reference, e.plan, e.status, e.quantity, e.period_end, e.environment,
       coalesce(h.pays, false) as pays,
       array[coalesce(h.pays, false)::int, coalesce((select p.weight from plan p where p.name = e.plan), 0), coalesce(h.points, -1),
             coalesce(extract(epoch from e.period_end), '-infinity')] as standing
  from (select s.owner_user_id, 'Stripe', s.id, s.plan, s.status, s.quantity, s.current_period_end,
               case when s.livemode then 'production' else 'sandbox' end
          from public.stripe_subscriptions s
         union all
        select a.owner_user_id, 'Apple', a.original_transaction_id, a.plan,
               case when a.revoked_at is null or a.status = 'refunded' then a.status else 'revoked' end,
               1, a.current_period_end, a.environment
          from public.apple_subscriptions a) as e (owner_user_id, provider, reference, plan, status, quantity, period_end, environment)
  left join health h on h.status = e.status;

-- @define membership  The members of each organisation, including a billing owner who is missing in the list of members.
select m.organization_id, m.user_id
  from (select l.organization_id, l.user_id, false from public.organization_members l
         union all
        select o.id, o.billing_owner_id, true from public.organizations o) as m (organization_id, user_id, is_owner)
 where not m.is_owner
    or m.user_id is not null
       and not exists (select from public.organization_members l where l.organization_id = m.organization_id and l.user_id = m.user_id);

-- @define billing_state  The plan of each organisation, in one row for production and one row for the sandbox. Each row uses only
--    the entitlements of its environment. The annual plan covers all members, a team plan covers one member per seat, and a solo
--    plan covers one member. If the owner has no paid entitlement, the row has the best unpaid entitlement.
select o.id as organization_id, o.name as organization, o.billing_owner_id, coalesce(p.email, o.billing_owner_id::text) as billing_owner,
       n.members, o.trial_starts_at, o.trial_ends_at, r.required_plan, r.required_team_quantity,
       r.required_plan || case when r.required_plan = 'team' then ' for ' || r.required_team_quantity else '' end as requirement,
       v.environment, v.other_environment, w.provider, w.reference, w.plan, w.status, w.period_end, w.standing,
       w.plan || case when w.plan = 'team' then ' for ' || w.quantity else '' end as entitlement,
       coalesce(w.pays, false) as pays,
       case when w.pays then w.plan end as active_subscription_plan,
       case when w.pays then w.quantity end as active_subscription_quantity,
       coalesce(w.pays and (w.plan = 'annual' or w.plan = 'team' and w.quantity >= r.required_team_quantity
                            or w.plan = 'solo' and r.required_plan = 'solo'), false) as covered,
       (select count(*) from entitlement e
         where e.owner_user_id = o.billing_owner_id and e.environment = v.other_environment and e.pays) as pays_elsewhere
  from public.organizations o
 cross join (values ('production', 'sandbox'), ('sandbox', 'production')) as v (environment, other_environment)
 cross join lateral (select count(*)::int from membership m where m.organization_id = o.id) as n (members)
 cross join lateral (select case when n.members > 1 then 'team' else 'solo' end, case when n.members > 1 then n.members else 0 end)
       as r (required_plan, required_team_quantity)
  left join public.profiles p on p.id = o.billing_owner_id
  left join lateral (select e.*
                       from entitlement e
                      where e.owner_user_id = o.billing_owner_id and e.environment = v.environment
                      order by e.standing desc, e.provider desc, e.reference desc
                      limit 1) as w on true;

-- @define candidate  All entitlements of a billing owner, each with its rank (place) and the reason for the rank (verdict). If the
--    standing of two entitlements is equal, provider and reference decide.
select s.organization_id, s.organization, s.billing_owner, e.environment, e.provider, e.reference, e.plan, e.status, e.quantity,
       e.period_end,
       (select count(*) from entitlement b
         where b.owner_user_id = e.owner_user_id and b.environment = e.environment
           and (b.standing, b.provider, b.reference) >= (e.standing, e.provider, e.reference)) as place,
       case when e.environment = 'sandbox' then 'from the sandbox, which never counts in production'
            when not e.pays and e.reference = s.reference then e.status || ' does not count as paid, but is the best entitlement'
            when not e.pays then e.status || ' does not count as paid'
            when e.reference = s.reference and e.provider = s.provider then
                 case when s.covered then 'wins' else 'wins, but is not enough for ' || s.requirement end
            when e.standing[2] < s.standing[2] then 'a lighter plan than ' || s.plan || ' from ' || s.provider
            when e.standing[3] < s.standing[3] then 'the same plan, but ' || s.status || ' is a better status'
            when e.standing[4] < s.standing[4] then 'the same plan and status, but it ends earlier'
            else 'the same plan, status and end; provider and id decide' end as verdict
  from billing_state s
  join entitlement e on e.owner_user_id = s.billing_owner_id and e.environment = s.environment;

-- @object organization  An organisation, and its plan in production.
-- @key id
-- @user billing_owner_id
-- @search name
-- @columns id, name, members, provider, status
select s.organization_id as id, s.organization as name, s.billing_owner, s.billing_owner_id, s.members, s.requirement,
       s.covered, s.entitlement, s.provider, s.status, s.period_end, s.trial_starts_at, s.trial_ends_at
  from billing_state s where s.environment = 'production';
-- @members
select m.organization_id, m.user_id from membership m;

-- @select covered  Organisations with a paid plan that is enough for all members.
covered;

-- @select trial  Organisations in their trial, without a paid plan that is enough for all members.
not covered and trial_ends_at > :now;

-- @select closed  Organisations without a running trial and without a paid plan that is enough for all members.
not covered and (trial_ends_at > :now) is not true;

-- @object invitation  An email invitation; it belongs to the user who sent it.
-- @key id
-- @user invited_by
-- @search email
-- @columns id, email, organization, created_at, accepted_at
-- @order created_at desc
select i.id, i.email, o.name as organization, i.invited_by, i.created_at, i.accepted_at
  from public.organization_invites i
  join public.organizations o on o.id = i.organization_id;

-- @object stripe  A subscription through Stripe.
-- @key id
-- @user owner_user_id
-- @columns id, plan, status, quantity, current_period_end
-- @order current_period_end desc
select s.id, s.stripe_customer_id, s.plan, s.status, s.quantity, s.current_period_start, s.current_period_end, s.cancel_at_period_end,
       s.livemode, s.owner_user_id
  from public.stripe_subscriptions s;

-- ---- Is it paid for? ------------------------------------------------------------------------------------------------------------

-- The rule for a paid plan comes before the rule for the trial, so that usher never calls a paid organisation a trial. The rule for
-- the trial comes before the rules for a plan that is too small, because everybody has access until the trial ends.

-- @decision billing  Is the organisation paid for?
-- @per organization
-- @assume environment: production | sandbox = production
select u.*, s.organization_id, s.organization, s.environment, s.other_environment, s.billing_owner_id, s.billing_owner,
       coalesce(s.billing_owner_id = u.id, false) as is_billing_owner, s.members, s.trial_starts_at, s.trial_ends_at,
       s.required_plan, s.required_team_quantity, s.requirement, s.active_subscription_plan, s.active_subscription_quantity,
       s.provider, s.reference, s.plan, s.entitlement, s.status, s.period_end, s.pays, s.covered, s.pays_elsewhere, w.waiting, w.waiting_since,
       t.besides, o.own
  from users u
  left join membership m on m.user_id = u.id
  left join billing_state s on s.organization_id = m.organization_id and s.environment = :environment
  left join lateral (select string_agg(e.plan || ' from ' || e.provider, ', ' order by e.standing desc)
                       from entitlement e
                      where e.owner_user_id = u.id and e.environment = s.environment and e.pays
                        and s.billing_owner_id is distinct from u.id) as o (own) on true
  left join lateral (select string_agg(e.plan || ' from ' || e.provider, ', ' order by e.standing desc)
                       from entitlement e
                      where e.owner_user_id = s.billing_owner_id and e.environment = s.environment and e.pays
                        and (e.provider, e.reference) is distinct from (s.provider, s.reference)) as t (besides) on true
  left join lateral (select e.event_id, e.received_at
                       from event e
                       join health h on h.status = e.sets_status and h.pays
                      where e.processed_at is null and e.state = 'waiting' and e.user_id = s.billing_owner_id
                        and e.environment = s.environment
                      order by e.received_at, e.event_id
                      limit 1) as w (waiting, waiting_since) on true;

-- @rule no-profile  This user has a login but no profile, so the user can't be in an organisation. The sign-up trigger did not create the profile.
-- @advice Create the profile: `user repair {email}`
has_profile is not true;

-- @rule no-organization  This user is not in an organisation, so there is nothing to pay for.
-- @advice The user creates an organisation in the app, or accepts an invitation.
organization_id is null;

-- @rule paid  {organization} has the plan it needs ({requirement}): {entitlement} through {provider}.
covered;
-- @because  {organization} has the plan it needs ({requirement}): {entitlement} through {provider}. The last payment failed with
--    status {status}. {provider} keeps trying to charge. Until {provider} gives up, the plan counts as paid.
-- @advice {billing_owner} needs to update the payment method at {provider}, not in the app.
status in ('grace_period', 'billing_retry', 'past_due');
-- @because  {billing_owner} pays twice: {entitlement} through {provider} already covers {organization}; {besides} is extra.
-- @advice One of the plans is enough. {billing_owner} cancels {besides} at the provider and asks for a refund there.
besides is not null;
-- @because  {organization} has the plan it needs ({requirement}): {entitlement} through {provider}, {status} until {period_end}.
period_end > :now;
-- @because  {organization} has the plan it needs ({requirement}): {entitlement} through {provider}. The period ended at
--    {period_end}. An event from Apple arrived at {waiting_since} and is not processed yet.
-- @advice Process the event: `event replay {waiting}`
period_end <= :now and waiting is not null;
-- @because  {organization} has the plan it needs ({requirement}): {entitlement} through {provider}. The period ended at
--    {period_end}, but the status is still {status}, and the status decides. No renewal is waiting to be processed.
period_end <= :now;
-- @because  {organization} has the plan it needs ({requirement}): {entitlement} through {provider}, {status}. No end of the period
--    is recorded.
true;

-- @rule trial  {organization} is in its trial until {trial_ends_at}.
-- @advice Give more time: `organization extend {organization_id} --days 14`
trial_ends_at > :now;
-- @because  {organization} is in its trial until {trial_ends_at}. After the trial, {organization} needs {requirement}, and {entitlement} through {provider} is not enough.
-- @advice {billing_owner} buys {requirement} on the web before the trial ends. Apple doesn't sell the team plan.
pays;
-- @because  {organization} is in its trial until {trial_ends_at}; no member pays for it yet.
true;

-- @rule unpaid  {organization} has no billing owner, so no member can pay for the organisation.
-- @advice Make a member the billing owner: `organization transfer {organization_id} --to {email}`
billing_owner_id is null;

-- @rule insufficient  {organization} needs {requirement} and has only {entitlement} through {provider}.
pays;
-- @because  {organization} needs {requirement}. {billing_owner} pays Apple for {plan}. The plan is {status} but covers only one person. Apple doesn't sell the team plan.
-- @advice {billing_owner} buys the team plan on the web, and cancels the {plan} plan in Apple's settings.
-- @advice The annual plan, which Apple also sells, would cover everybody.
-- @advice Give everybody access in the meantime: `organization extend {organization_id} --days 7`
provider = 'Apple';
-- @because  {organization} needs {requirement} and has only {entitlement} through {provider}, which is {status}.
-- @advice {billing_owner} adds seats on the web, or removes people from the organisation.
-- @advice Give everybody access in the meantime: `organization extend {organization_id} --days 7`
plan = 'team';
-- @because  {organization} needs {requirement}. {billing_owner} has {entitlement} through {provider}. The plan is {status} but covers only one person.
-- @advice {billing_owner} switches to the team plan on the web.
-- @advice Give everybody access in the meantime: `organization extend {organization_id} --days 7`
true;

-- @rule unpaid  {organization} has no paid plan.
true;
-- @because  A purchase by {billing_owner} from Apple arrived at {waiting_since} and is not processed yet.
-- @advice Process the event: `event replay {waiting}`
waiting is not null;
-- @because  {email} pays for {own}, but {billing_owner} is the billing owner of {organization}, and only the owner's plan counts.
-- @advice If {email} and {billing_owner} agree, make {email} the billing owner: `organization transfer {organization_id} --to {email}`
own is not null;
-- @because  {billing_owner} has no paid plan in {environment}. A paid plan in {other_environment} doesn't count in {environment}.
-- @advice See the answer for {other_environment}: `user why {email} --assume environment={other_environment}`
pays_elsewhere > 0;
-- @because  {provider} revoked the purchase of {billing_owner}: {entitlement} is {status}.
-- @advice See what happened: `user timeline {billing_owner}`
-- @advice {billing_owner} can buy again. See what the app offers: `user why {billing_owner}`
status in ('revoked', 'refunded');
-- @because  {billing_owner} has no paid plan. The best unpaid plan is {entitlement} through {provider}, with status {status}. Its period ended at {period_end}.
-- @advice If the owner has paid since then, the purchase may have arrived under an unknown user id: `event list --unknown-user`
-- @advice {billing_owner} can buy again. See what the app offers: `user why {billing_owner}`
period_end <= :now;
-- @because  {billing_owner} has no paid plan. The best unpaid plan is {entitlement} through {provider}, with status {status}. Its period ends at {period_end}.
-- @advice See what happened: `user timeline {billing_owner}`
period_end > :now;
-- @because  {billing_owner} has no paid plan. The best unpaid plan is {entitlement} through {provider}, with status {status}.
-- @advice See what happened: `user timeline {billing_owner}`
plan is not null;
-- @because  The trial of {organization} ended at {trial_ends_at}. Neither Stripe nor Apple has a purchase by {billing_owner}.
-- @advice See what the app offers: `user why {billing_owner}`
-- @advice Give more time: `organization extend {organization_id} --days 14`
trial_ends_at <= :now;
-- @because  {organization} had no trial. Neither Stripe nor Apple has a purchase by {billing_owner}.
-- @advice See what the app offers: `user why {billing_owner}`
-- @advice Start a trial now: `organization extend {organization_id} --days 14`
true;

-- ---- What the phone shows -------------------------------------------------------------------------------------------------------

-- The first true rule decides. First come the rules for a phone that can't check the plan, then the rules for paid plans and trials,
-- then those for a purchase in progress. The last rules check who can buy, which plan, and whether the store works.

-- @decision ios-paywall  What does the app on the phone show?
-- @per organization
-- @assume signed_in: boolean = true
-- @assume platform: ios | android | web = ios
-- @assume network: online | offline = online
-- @assume store: available | outage = available
-- @assume purchase: none | received | overdue | other-login
-- @assume environment: production | sandbox = production
select u.*, s.organization_id, s.organization, s.environment, s.billing_owner_id, s.billing_owner,
       coalesce(s.billing_owner_id = u.id, false) as is_billing_owner, s.members, s.trial_starts_at, s.trial_ends_at,
       s.required_plan, s.required_team_quantity, s.requirement, s.active_subscription_plan, s.active_subscription_quantity,
       s.provider, s.plan, s.entitlement, s.status, s.period_end, s.covered,
       coalesce(:purchase, case w.state when 'waiting' then 'received' else w.state end, 'none') as purchase,
       w.state as event_state, w.event_id, w.received_at as event_received_at, w.original_transaction_id
  from users u
  left join membership m on m.user_id = u.id
  left join billing_state s on s.organization_id = m.organization_id and s.environment = :environment
  left join lateral (select e.*
                       from event e
                       join health h on h.status = e.sets_status and h.pays
                      where e.processed_at is null and e.user_id = u.id and e.environment = :environment
                        and e.state in ('waiting', 'other-login')
                      order by e.state = 'other-login' desc, e.happened_at desc
                      limit 1) as w on true;

-- @rule not-ios  The paywall exists on iOS only; on {platform} billing is on the web.
-- @shows screen: no paywall
platform <> 'ios';

-- @rule sign-in  No user is signed in on the phone.
-- @shows screen: sign-in
-- @shows button: none
signed_in is not true;

-- @rule reconnect  The phone is offline, so the app can't check the plan.
-- @shows screen: how to reconnect
-- @shows button: none
-- @advice No data is lost. When the phone is online again, the app checks the plan.
network = 'offline';

-- @rule no-profile  This user has a login but no profile, because the sign-up trigger did not create the profile. Without a profile the backend can't answer the app.
-- @advice Create the profile: `user repair {email}`
has_profile is not true;

-- @rule no-organization  This user is not in an organisation, so there is nothing to pay for.
-- @advice The user creates an organisation in the app, or accepts an invitation.
organization_id is null;

-- @rule status  {organization} is paid for, or in its trial.
-- @shows screen: status only
-- @shows button: none
covered or trial_ends_at > :now;
-- @because  {organization} is already paid for, with {entitlement} through {provider}.
-- @advice If the phone shows something else, the phone has old data: the user signs out and in again.
covered;
-- @because  {organization} is in its trial until {trial_ends_at}.
true;

-- @rule blocked  The restored purchase belongs to another login, and the app never transfers a purchase by itself.
-- @shows screen: this purchase belongs to another login
-- @shows button: none
-- @advice The simplest way: the user signs in with the other login.
purchase = 'other-login';
-- @because  The purchase {original_transaction_id} belongs to another login. The app never transfers a purchase silently, so this user gets no access from the purchase.
-- @advice Find the owner of the purchase: `purchase show {original_transaction_id}`
-- @advice If both users agree, move the purchase: `purchase move {original_transaction_id} --to {email}`
event_state = 'other-login';
-- @because  The restored purchase belongs to another login. The app never transfers a purchase by itself, so this user gets no access from the purchase.
-- @advice To move the purchase, find its id first: `purchase list`
true;

-- @rule syncing  The purchase has not arrived in the database yet. The phone waits for the server.
-- @shows screen: syncing; the app asks again for a while, then offers restore and retry
-- @shows button: none
purchase = 'received';
-- @because  The purchase arrived at {event_received_at} and is not processed yet. The phone waits for the server.
-- @advice See the event: `event show {event_id}`
-- @advice Process the event: `event replay {event_id}`
event_state = 'waiting';
-- @because  The store accepted the purchase, but its event has not arrived in the database. The phone waits for the server.
-- @advice The event may have arrived under an unknown user id: `event list --unknown-user`
-- @advice Link the unknown user id to this user, then process the event: `user link {email} --revenuecat ID`
true;

-- @rule retry  The app has stopped checking for the purchase, which still hasn't arrived.
-- @shows screen: restore and retry
-- @shows button: none
-- @advice Check whether the event arrived: `event list --unprocessed`
-- @advice Process waiting events, then ask the user to tap restore: `event replay --unprocessed`
purchase = 'overdue';

-- @rule owner-manages  Only the billing owner of {organization} can buy.
-- @shows screen: the owner manages billing
-- @shows button: none
billing_owner_id is null or not is_billing_owner;
-- @because  {organization} has no billing owner, so no member can buy.
-- @advice Make this member the billing owner: `organization transfer {organization_id} --to {email}`
billing_owner_id is null;
-- @because  {organization} needs another plan, and only {billing_owner} can buy a plan.
-- @advice See what the app shows the owner: `user why {billing_owner}`
true;

-- @rule web-billing  {organization} needs {requirement}. Apple doesn't sell the team plan.
-- @shows screen: use web billing
-- @shows button: none
-- @advice {billing_owner} buys the team plan on the web.
required_plan = 'team';
-- @because  {organization} needs {requirement} and has only {entitlement} through {provider}. Apple doesn't sell the team plan.
active_subscription_plan is not null;
-- @because  {organization} needs {requirement}. Apple doesn't sell the team plan.
true;

-- @rule last-known  The store or RevenueCat is down. The app keeps the last known state. If a purchase succeeds during the outage, the user gets access only after the outage.
-- @shows screen: the last known state
-- @shows button: buy; access comes after the outage
-- @advice Wait until the outage is over; you don't have to do anything.
store = 'outage';

-- @rule paywall  The billing owner is signed in on iOS, and {organization} has no paid plan.
-- @shows screen: paywall
-- @shows button: buy solo or annual
-- @advice The user can buy in the app. The app works as it should.
-- @advice If the user has already paid, the purchase may have arrived under an unknown user id: `event list --unknown-user`
-- @advice See what happens after a purchase: `user why {email} --assume purchase=received`
true;

-- ---- Users ----------------------------------------------------------------------------------------------------------------------
-- @action user repair  Create the profile that the sign-up trigger did not create.
-- @role support
-- @grade moderate
-- @expect billing no-organization
-- @refuse The profile already exists.
has_profile;
-- @do
insert into public.profiles (id, email, name)
select a.id, a.email, a.raw_user_meta_data ->> 'full_name'
  from auth.users a where a.id = any(:users)
    on conflict (id) do nothing;

-- ---- Organisations --------------------------------------------------------------------------------------------------------------
-- @list organization candidates  List all entitlements of an organisation's billing owner.
-- @arg organization: organization : The organisation, by name or id.
select case when c.environment = 'production' then c.place end as rank, c.provider, c.plan, c.status, c.quantity, c.period_end,
       c.environment, c.verdict, c.billing_owner, c.reference
  from candidate c where c.organization_id = :organization
 order by c.environment, c.place;

-- @list organization members  List the members of an organisation, and who pays.
-- @arg organization: organization : The organisation, by name or id.
select u.id, u.email, u.name, case when u.id = o.billing_owner_id then 'billing owner' else l.role end as role, l.created_at as since
  from membership m
  join public.organizations o on o.id = m.organization_id
  join users u on u.id = m.user_id
  left join public.organization_members l on l.organization_id = m.organization_id and l.user_id = m.user_id
 where m.organization_id = :organization
 order by u.id = o.billing_owner_id desc, u.email, u.id;

-- @action organization transfer  Make another member the billing owner.
-- @on organization
-- @option to: user : The new billing owner.
-- @grade moderate
-- @refuse The new billing owner has to be a member of {name}.
not exists (select from membership m where m.organization_id = facts.id and m.user_id = :to);
-- @warn {billing_owner} pays for {name} with {entitlement} through {provider}. The plan stays with {billing_owner} and no longer counts for {name}.
covered;
-- @do
update public.organizations o set billing_owner_id = :to
 where o.id = any(:keys) and o.billing_owner_id is distinct from :to
   and exists (select from membership m where m.organization_id = o.id and m.user_id = :to);

-- @action organization extend  Extend a trial, from the end of the trial or from now.
-- @role support
-- @grade mild
-- @on organization
-- @option days: int 1..31 : The number of days to add.
-- @refuse {name} is paid for with {entitlement} through {provider}, so {name} doesn't need a trial.
covered;
-- @do
update public.organizations set trial_starts_at = coalesce(trial_starts_at, :now),
       trial_ends_at = greatest(trial_ends_at, :now) + make_interval(days => :days)
 where id = any(:keys);

-- @action organization enroll  Add the billing owner to the list of members.
-- @role support
-- @grade mild
-- @on organization
-- @refuse {name} has no billing owner.
billing_owner_id is null;
-- @do
insert into public.organization_members (organization_id, user_id, role)
select o.id, o.billing_owner_id, 'admin'
  from public.organizations o where o.id = any(:keys) and o.billing_owner_id is not null
    on conflict (organization_id, user_id) do nothing;

-- ---- Test states, for users who own one organisation and are not in another -----------------------------------------------------
-- @define test_event  A purchase of the annual plan, as RevenueCat would send it.
select u.id as user_id, 'test-' || u.id as event_id, coalesce(u.revenuecat_app_user_id, u.id::text) as app_user_id,
       jsonb_build_object('event', jsonb_build_object(
           'id', 'test-' || u.id, 'type', 'INITIAL_PURCHASE', 'environment', 'PRODUCTION', 'store', 'APP_STORE', 'period_type', 'NORMAL',
           'app_user_id', coalesce(u.revenuecat_app_user_id, u.id::text), 'product_id', 'annual_ios',
           'original_transaction_id', 'test-' || u.id, 'transaction_id', 'test-' || u.id,
           'event_timestamp_ms', floor(extract(epoch from :now) * 1000), 'purchased_at_ms', floor(extract(epoch from :now) * 1000),
           'expiration_at_ms', floor(extract(epoch from :now + interval '1 year') * 1000))) as payload
  from users u;

-- @state trial  The owner bought nothing, and the trial runs for two more weeks.
-- @from unpaid
-- @expect billing trial
-- @do  The trial begins now.
update public.organizations set trial_starts_at = :now, trial_ends_at = :now + interval '14 days'
 where billing_owner_id = any(:users);

-- @state unpaid  The owner bought nothing, and the trial ended a day ago.
-- @expect billing unpaid
-- @do  All purchases are deleted.
delete from public.stripe_subscriptions where owner_user_id = any(:users);
-- @do
delete from public.apple_subscriptions where owner_user_id = any(:users);
-- @do  The trial is over.
update public.organizations set trial_starts_at = :now - interval '15 days', trial_ends_at = :now - interval '1 day'
 where billing_owner_id = any(:users);

-- @state apple-annual  The owner has the annual plan from Apple, which is enough for any organisation.
-- @from unpaid
-- @expect billing paid
-- @expect ios-paywall status
-- @do  The plan was bought now.
insert into public.apple_subscriptions (owner_user_id, revenuecat_app_user_id, store_product_id, plan, status, environment,
                                        original_transaction_id, current_period_start, current_period_end, last_event_type)
select t.user_id, t.app_user_id, 'annual_ios', 'annual', 'active', 'production', t.event_id, :now, :now + interval '1 year',
       'INITIAL_PURCHASE'
  from test_event t where t.user_id = any(:users);

-- @state apple-refunded  Apple refunded the owner's annual plan a day ago, and the trial is over.
-- @from apple-annual
-- @expect billing unpaid
-- @do  The purchase was refunded.
update public.apple_subscriptions
   set status = 'refunded', revoked_at = :now - interval '1 day', last_event_type = 'CANCELLATION',
       current_period_start = :now - interval '8 days', current_period_end = :now - interval '1 day'
 where owner_user_id = any(:users);

-- @state sandbox-only  The owner has the annual plan only in Apple's sandbox, and the trial is over.
-- @from apple-annual
-- @expect billing unpaid
-- @do  The plan was bought in the sandbox.
update public.apple_subscriptions set environment = 'sandbox', current_period_end = :now + interval '1 hour'
 where owner_user_id = any(:users);

-- @state syncing  The owner bought a plan just now; the event has arrived but is not processed.
-- @from unpaid
-- @expect billing unpaid
-- @expect ios-paywall syncing
-- @do  The event is stored, but not processed.
insert into public.apple_subscription_events (event_id, event_type, environment, payload, received_at)
select t.event_id, 'INITIAL_PURCHASE', 'production', t.payload, :now
  from test_event t where t.user_id = any(:users)
    on conflict (event_id) do update
   set payload = excluded.payload, received_at = excluded.received_at, processed_at = null;

-- ---- Invariants -----------------------------------------------------------------------------------------------------------------
-- @check no-profile  Every login has a profile.
-- @fix user repair
select id, email, created_at from users where has_profile is not true;

-- @check no-owner  Every organisation has a billing owner.
-- @on organization
select id, name, members from organization where billing_owner_id is null;

-- @check owner-not-member  Every billing owner is on the list of members.
-- @on organization
-- @fix organization enroll
select o.id, o.name, o.billing_owner
  from organization o where o.billing_owner_id is not null
   and not exists (select from public.organization_members l where l.organization_id = o.id and l.user_id = o.billing_owner_id);

-- @check insufficient  Every paying organisation has a plan that covers its members.
-- @on organization
select s.organization_id, s.organization, s.billing_owner, s.requirement, s.entitlement, s.provider
  from billing_state s where s.environment = 'production' and s.pays and not s.covered;

-- @check paid-twice  No user pays for two plans at the same time.
select u.id, u.email, count(*) as entitlements, string_agg(e.plan || ' from ' || e.provider, ', ' order by e.standing desc) as pays_for
  from entitlement e
  join users u on u.id = e.owner_user_id
 where e.environment = 'production' and e.pays
 group by u.id, u.email
having count(*) > 1;

-- @check paid-for-nothing  Every paying user is the billing owner of an organisation.
select u.id, u.email, e.plan, e.provider, e.status, e.period_end, e.reference
  from entitlement e
  join users u on u.id = e.owner_user_id
 where e.environment = 'production' and e.pays
   and not exists (select from public.organizations o where o.billing_owner_id = e.owner_user_id);

-- @check paid-past-end  No active plan is past the end of its period.
select u.id, u.email, e.plan, e.provider, e.status, e.period_end, e.reference
  from entitlement e
  join users u on u.id = e.owner_user_id
 where e.environment = 'production' and e.status in ('active', 'trialing') and e.period_end <= :now;

-- ---- What an account consists of ------------------------------------------------------------------------------------------------

-- The organisations of a billing owner are deleted with the account, together with everything that other members have in them.

-- @account
-- @root auth.users.id
-- @warn {pays_for} has other members, who lose their access with this account. Make one of them the billing owner first: `organization
--    transfer ORGANIZATION --to EMAIL`
exists (select from public.organizations o join membership m on m.organization_id = o.id
         where o.billing_owner_id = facts.id and m.user_id <> facts.id);
-- @warn Stripe keeps charging this user. Cancel the subscription at Stripe before you delete the account; the customer is {stripe_customer_id}.
exists (select from public.stripe_subscriptions s join health h on h.status = s.status and h.pays
         where s.owner_user_id = facts.id and s.livemode and s.cancel_at_period_end is not true);
-- @warn Apple keeps charging this user. Only the user can cancel the subscription, in Apple's settings. The customer at RevenueCat is
--    {revenuecat_app_user_id}.
exists (select from public.apple_subscriptions s join health h on h.status = s.status and h.pays
         where s.owner_user_id = facts.id and s.environment = 'production' and s.revoked_at is null and s.cancel_at_period_end is not true);
-- @refers public.organization_invites.email -> auth.users.email
-- @refers public.apple_subscription_events (payload -> 'event' ->> 'app_user_id') -> public.apple_customers.revenuecat_app_user_id
-- @refers public.apple_subscription_events (payload -> 'event' ->> 'app_user_id') -> public.profiles.id
-- @ignore public.apple_customers.revenuecat_app_user_id : The column contains the id of the row's own user.
-- @ignore public.apple_customers.original_app_user_id : The column contains the id of the row's own user.
-- @ignore public.apple_subscriptions.raw_customer_id : The column contains the id of the row's own owner.
-- @ignore public.apple_subscriptions.revenuecat_app_user_id : The column contains the id of the row's own owner.
-- @ignore public.stripe_subscriptions.stripe_customer_id : The column contains the Stripe id of the row's own owner.
-- @set public.apple_subscription_events.payload = '{}' : The column contains data of the account; the event stays, so that the app recognises a repeated event.
-- @files avatars {id}/
