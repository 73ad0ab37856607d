"""Showing and finding one user among many."""
from driver.row import Pair, collect

ROWS, row = collect()

# The statements that an engineer would write by hand for the same screen: two round trips, one statement for the facts, the
# decision and the quota, and one statement for each panel. The statements assume that the app, its schema and the rights are
# known. They also read the user's permitted actions, unfinished operations and notes.
LEAN = [
    ["begin isolation level repeatable read read only",
     "select set_config('search_path', 'pg_catalog', true), set_config('statement_timeout', '10s', true)",
     "select name from usher.environment",
     "select rolname from pg_roles where rolname in ('usher_support', 'usher_admin', 'usher_engineer') and pg_has_role(oid, 'usage')",
     """select a.id from public.profiles p join auth.users a on a.id = p.id where lower(p.email) = '{address}'
         union select p.id from public.profiles p where lower(p.notification_email) = '{address}'
         union select a.id from auth.users a where a.email = '{address}' and a.is_sso_user = false"""],
    ["""select a.id, a.raw_user_meta_data ->> 'full_name' as name, coalesce(p.email, a.email) as email, p.notification_email,
               p.subscription_tier, p.subscription_status, p.is_partner, p.partner_source, p.trial_started_at, p.trial_ends_at,
               p.subscription_end_date, p.subscription_cancelled_at, a.created_at, a.last_sign_in_at, q.impulses_used, q.check_ins_used,
               q.resets_at, c.impulse_limit, c.check_in_limit, c.period, d.access,
               case when d.access = 'paywall' then 'paywall' when q.impulses_used >= c.impulse_limit then 'quota-exceeded' else 'allowed' end,
               case when d.access = 'paywall' then 'paywall' when q.check_ins_used >= c.check_in_limit then 'quota-exceeded' else 'allowed' end,
               p.id is null as half_made,
               p.subscription_tier = 'trial' and p.subscription_status = 'active' and p.trial_ends_at <= now() as trial_over,
               p.subscription_tier <> 'partner' and p.is_partner as partner_of_another_tier,
               p.subscription_tier = 'partner' and p.is_partner is not true as partner_by_name_alone,
               p.subscription_tier in ('trial', 'partner') and exists (select from public.iap_subscriptions s where s.user_id = a.id) as pays,
               p.subscription_tier in ('foundation', 'mastery') and p.subscription_status = 'active'
                   and p.subscription_end_date <= now() as period_over,
               p.subscription_tier in ('foundation', 'mastery') and p.subscription_status = 'cancelled'
                   and p.subscription_end_date is null as without_end,
               (select e.event_id from public.iap_webhook_events e
                 where e.user_id = a.id and e.processed_at is null and e.environment = 'production'
                   and e.event_type in ('SUBSCRIBED', 'DID_RENEW') order by e.received_at limit 1) as waiting
          from auth.users a
          left join public.profiles p on p.id = a.id
          left join public.impulse_quota q on q.user_id = a.id
          left join public.subscription_config c on c.tier = p.subscription_tier
         cross join lateral (select case
               when p.id is null then 'paywall'
               when p.subscription_tier = 'trial' and p.subscription_status = 'active' and p.trial_ends_at > now() then 'active'
               when p.subscription_tier = 'partner' and p.subscription_status = 'active' and p.is_partner then 'active'
               when p.subscription_tier in ('foundation', 'mastery') and (p.subscription_status = 'active'
                    or p.subscription_status = 'cancelled' and p.subscription_end_date > now()) then 'active'
               else 'paywall' end as access) d
         where a.id = '{key}'""",
     "select date_trunc('day', created_at), count(*) from public.impulses where user_id = '{key}' and created_at > now() - interval '28 days' group by 1",
     "select date_trunc('day', created_at), count(*) from public.check_ins where user_id = '{key}' and created_at > now() - interval '28 days' group by 1",
     "select * from public.profiles where id = '{key}'",
     "select * from public.iap_subscriptions where user_id = '{key}' order by expires_date desc nulls last",
     "select * from public.iap_transactions where user_id = '{key}' order by purchased_at desc limit 13",
     "select * from public.iap_webhook_events where user_id = '{key}' order by received_at desc limit 13",
     """select e.*, p.email from public.iap_webhook_events e left join public.profiles p on p.id = e.user_id
         where e.user_id = '{key}' and e.processed_at is null order by e.event_id limit 4""",
     """select 'unfinished', o.id, o.command, o.at, o.operator, o.payload
          from usher.subject s join usher.operation o on o.id = s.operation and o.kind = 'bulk'
         where s.key = '{key}' and usher.outcome(o.id) = 'running'
         union all
        select 'undone', u.id, u.command, l.at, l.operator, l.payload
          from (select o.* from usher.operation o
                 where o.subjects @> array['{key}'] and o.kind in ('change', 'batch', 'undo') and o.outcome = 'committed'
                 order by o.at desc limit 1) l join usher.operation u on u.id = l.undoes""",
     """select 'note', o.id, o.at, o.operator, o.payload, null as role
          from usher.note n join usher.operation o on o.id = n.operation where n.root = 'auth.users' and n.key = '{key}'
         union all
        select 'request', o.id, o.at, o.operator, o.payload, r.role
          from usher.request r join usher.operation o on o.id = r.operation
         where r.answer is null and o.root = 'auth.users' and '{key}' = any (o.subjects)""",
     "select * from auth.sessions where user_id = '{key}' order by refreshed_at desc limit 21",
     "select * from auth.identities where user_id = '{key}' order by created_at",
     "commit"],
]

FACTS = """select a.id, coalesce(p.email, a.email) as email, p.subscription_tier, p.subscription_status
             from auth.users a left join public.profiles p on p.id = a.id where a.id in ("""
EXACTLY = FACTS + """select id from public.profiles where lower(email) = '{0}'
    union all select id from public.profiles where lower(notification_email) = '{0}'
    union all select id from auth.users where instance_id = '00000000-0000-0000-0000-000000000000' and lower(email::text) = '{0}')"""
BEGINNING = FACTS + """select id from public.profiles where lower(email) like '{0}%'
    union all select id from public.profiles where lower(notification_email) like '{0}%'
    union all select id from auth.users where lower(email::text) like '{0}%' limit 20)"""
# A text that is no email can be the key of an object that belongs to a user. If no key is equal, usher also searches for keys
# that begin with the text.
CALLED = """select user_id, transaction_id from public.iap_transactions where transaction_id {0}
    union all select user_id, original_transaction_id from public.iap_subscriptions where original_transaction_id {0}
    union all select user_id, event_id from public.iap_webhook_events where event_id {0}"""


def somebody(bench, users):
    """The email and key of a user with rows in every panel."""
    number = users // 60 * 60 - 48
    return f"user{number}@example.com", bench.sql(bench.users(users), f"select md5('user{number}')::uuid")


def show(bench, users):
    address, _ = somebody(bench, users)
    return lambda db: [bench.usher, "-d", db, "user", "show", address]


@row("user show EMAIL, compared with a C client that sends the same", target=1.2, growth="none", times=10, trips=True)
def same(bench, users):
    name = bench.users(users)
    ours = show(bench, users)
    return Pair(name, ours, bench.replay(bench.overheard(ours, name)))


@row("user show EMAIL, compared with handwritten statements", target=1.5, growth="none", times=10)
def lean(bench, users):
    address, key = somebody(bench, users)
    steps = [[statement.format(address=address, key=key) for statement in step] for step in LEAN]
    return Pair(bench.users(users), show(bench, users), bench.replay(bench.script(steps)))


@row("user find with an exact email, compared with psql by index", target=1.2, growth="none", times=10, trips=True)
def exact(bench, users):
    address, _ = somebody(bench, users)
    return Pair(bench.users(users), lambda db: [bench.usher, "-d", db, "user", "find", address], bench.ask(EXACTLY.format(address)))


@row("user find with the beginning of an email, compared with psql by index", target=1.2, growth="none", times=10, trips=True)
def prefix(bench, users):
    beginning = f"user{users - 9}"
    return Pair(bench.users(users), lambda db: [bench.usher, "-d", db, "user", "find", beginning],
                bench.ask(EXACTLY.format(beginning), BEGINNING.format(beginning), CALLED.format(f"= '{beginning}'")))


@row("user find without a match, compared with psql by index", target=1.2, growth="none", times=10, trips=True)
def nobody(bench, users):
    address = "nobody.at.all@example.com"
    return Pair(bench.users(users), lambda db: [bench.usher, "-d", db, "user", "find", address],
                bench.ask(EXACTLY.format(address), BEGINNING.format(address), CALLED.format(f"= '{address}'"),
                          CALLED.format(f"between '{address}' and '{address}~'")))
