"""Statistics of all users."""
from driver.row import Pair, collect

ROWS, row = collect()

# One query over the users for outcomes, tiers, selections and both quotas, and one query for sign-ups. The first query returns
# grouped counts; the screen adds the counts of a group up.
FIGURES = """
with facts as (
    select coalesce(p.subscription_tier, 'none') as tier,
           case when p.id is null then 'paywall'
                when p.subscription_tier = 'trial' and p.subscription_status = 'active' and p.trial_ends_at > now() then 'active'
                when p.subscription_tier = 'partner' and p.subscription_status = 'active' and p.is_partner then 'active'
                when p.subscription_tier in ('foundation', 'mastery') and p.subscription_status = 'active' then 'active'
                when p.subscription_tier in ('foundation', 'mastery') and p.subscription_status = 'cancelled'
                     and p.subscription_end_date > now() then 'active'
                else 'paywall' end as access,
           case when c.period = 'month' and q.resets_at <= now() then 0 else coalesce(q.impulses_used, 0) end >= c.impulse_limit as impulses_out,
           case when c.period = 'month' and q.resets_at <= now() then 0 else coalesce(q.check_ins_used, 0) end >= c.check_in_limit as check_ins_out,
           c.impulse_limit, c.check_in_limit, c.period,
           p.subscription_tier = 'trial' and p.subscription_status = 'active' and p.trial_ends_at <= now() as due,
           p.subscription_tier = 'partner' and p.subscription_status = 'active' and p.is_partner as partner,
           p.subscription_tier in ('foundation', 'mastery') and p.subscription_status = 'active' as paying,
           p.subscription_tier in ('foundation', 'mastery') and p.subscription_status = 'cancelled' and p.subscription_end_date > now() as leaving,
           case when p.subscription_tier = 'trial' and p.subscription_status = 'active' and p.trial_ends_at > now()
                     and p.trial_ends_at <= now() + interval '14 days' then p.trial_ends_at::date end as ends
      from auth.users a
      left join public.profiles p on p.id = a.id
      left join public.impulse_quota q on q.user_id = p.id
      left join public.subscription_config c on c.tier = p.subscription_tier
)
select tier, access, impulses_out, check_ins_out, impulse_limit, check_in_limit, period, due, partner, paying, leaving, ends, count(*)
  from facts group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
 union all
select 'sign-ups', created_at::date::text, null, null, null, null, null, null, null, null, null, null, count(*)
  from auth.users where created_at >= current_date - 13 group by 2"""


@row("stats, compared with one handwritten query for the same figures", target=1.2, growth="linear", times=2, trips=True)
def stats(bench, users):
    return Pair(bench.users(users), lambda db: [bench.usher, "-d", db, "stats"], bench.ask(FIGURES))
