"""Lists of everybody, and all that is held about somebody, beside psql's own copy."""
from driver.row import Pair, collect

ROWS, row = collect()

EVERYBODY = """select a.id, a.raw_user_meta_data ->> 'full_name' as name, coalesce(p.email, a.email) as email, p.notification_email,
                      p.auth_provider, p.subscription_tier as tier, p.subscription_status as status, p.is_partner, p.partner_source,
                      p.trial_started_at, p.trial_ends_at, p.trial_converted, p.subscription_end_date, p.subscription_cancelled_at,
                      p.id is not null as has_profile, a.created_at, a.last_sign_in_at
                 from auth.users a left join public.profiles p on p.id = a.id"""


def one_line(text):
    return " ".join(text.split())


@row(r"user list, CSV, and psql's \copy", target=1.3, growth="linear", times=2, flat=True)
def csv(bench, users):
    return Pair(bench.users(users), lambda db: [bench.usher, "-d", db, "user", "list", "-o", "csv"],
                bench.ask(rf"\copy ({one_line(EVERYBODY)}) to stdout (format csv, header)"))


@row(r"user list, NDJSON, and psql's \copy of the same", target=1.3, growth="linear", times=2, flat=True)
def ndjson(bench, users):
    return Pair(bench.users(users), lambda db: [bench.usher, "-d", db, "user", "list", "-o", "ndjson"],
                bench.ask(rf"\copy (select to_json(u) from ({one_line(EVERYBODY)}) u) to stdout"))


# One account that has as much as a tenth of the users have together.
def heavy(bench, users):
    rows = users // 10
    return bench.variant("heavy", users, f"""
        set session_replication_role = replica;
        insert into public.impulses (id, user_id, title, body)
        select md5('heavy' || n)::uuid, md5('user12')::uuid, 'Impulse', repeat('a thought ', 6) from generate_series(1, {rows}) n;
        insert into public.check_ins (id, user_id, impulse_id, mood, note)
        select md5('heavier' || n)::uuid, md5('user12')::uuid, md5('heavy' || n)::uuid, 3, 'noted' from generate_series(1, {rows}) n;""")


# Whoever copies these knows where the person stands. Ours finds out, counts what belongs to them and to nobody else, and names the
# columns that seem to hold them although nothing says so: as much for an account with nothing in it, and nothing to a large one.
@row(r"user export of an account with very much, and psql's \copy of its rows", target=1.5, growth="linear", times=2, flat=True)
def export(bench, users):
    held = [f"select to_jsonb(t) from {table} t where {column} = md5('user12')::uuid" for table, column in [
        ("auth.users", "id"), ("public.profiles", "id"), ("public.impulse_quota", "user_id"), ("public.iap_subscriptions", "user_id"),
        ("public.iap_transactions", "user_id"), ("public.iap_webhook_events", "user_id"), ("public.impulses", "user_id"),
        ("public.check_ins", "user_id"), ("auth.identities", "user_id"), ("auth.sessions", "user_id")]]
    return Pair(heavy(bench, users), lambda db: [bench.usher, "-d", db, "user", "export", "user12@example.com"],
                bench.ask(*[rf"\copy ({one}) to stdout" for one in held]))
