"""Lists of all users and exports of one user, compared with a copy by psql."""
from driver.row import Pair, collect

ROWS, row = collect()

# Sorted as the list, because the list guarantees its order.
EVERYBODY = """select a.id, a.raw_user_meta_data ->> 'full_name' as name, coalesce(p.email, a.email) as email, p.notification_email,
                      p.auth_provider, p.subscription_tier as tier, p.subscription_status as status, p.is_partner, p.partner_source,
                      p.trial_started_at, p.trial_ends_at, p.trial_converted, p.subscription_end_date, p.subscription_cancelled_at,
                      p.id is not null as has_profile, a.created_at, a.last_sign_in_at
                 from auth.users a left join public.profiles p on p.id = a.id order by a.id"""


def one_line(text):
    return " ".join(text.split())


@row(r"user list -o csv, compared with psql's \copy", target=1.3, growth="linear", times=2, flat=True)
def csv(bench, users):
    return Pair(bench.users(users), lambda db: [bench.usher, "-d", db, "user", "list", "-o", "csv"],
                bench.ask(rf"\copy ({one_line(EVERYBODY)}) to stdout (format csv, header)"))


@row(r"user list -o ndjson, compared with psql's \copy", target=1.3, growth="linear", times=2, flat=True)
def ndjson(bench, users):
    return Pair(bench.users(users), lambda db: [bench.usher, "-d", db, "user", "list", "-o", "ndjson"],
                bench.ask(rf"\copy (select to_json(u) from ({one_line(EVERYBODY)}) u) to stdout"))


# A database with one account that has as many rows as a tenth of the users together.
def heavy(bench, users):
    rows = users // 10
    return bench.variant("heavy", users, f"""
        set session_replication_role = replica;
        insert into public.impulses (id, user_id, title, body)
        select md5('heavy' || n)::uuid, md5('user12')::uuid, 'Impulse', repeat('a thought ', 6) from generate_series(1, {rows}) n;
        insert into public.check_ins (id, user_id, impulse_id, mood, note)
        select md5('heavier' || n)::uuid, md5('user12')::uuid, md5('heavy' || n)::uuid, 3, 'noted' from generate_series(1, {rows}) n;""")


# The peer copies tables whose user column is known. usher also finds these columns, counts the user's own rows, and names
# columns that may contain the user's data. This extra cost is constant, and small compared with a large account.
@row(r"user export of a very large account, compared with psql's \copy", target=1.5, growth="linear", times=2, flat=True)
def export(bench, users):
    held = [f"select to_jsonb(t) from {table} t where {column} = md5('user12')::uuid" for table, column in [
        ("auth.users", "id"), ("public.profiles", "id"), ("public.impulse_quota", "user_id"), ("public.iap_subscriptions", "user_id"),
        ("public.iap_transactions", "user_id"), ("public.iap_webhook_events", "user_id"), ("public.impulses", "user_id"),
        ("public.check_ins", "user_id"), ("auth.identities", "user_id"), ("auth.sessions", "user_id")]]
    return Pair(heavy(bench, users), lambda db: [bench.usher, "-d", db, "user", "export", "user12@example.com"],
                bench.ask(*[rf"\copy ({one}) to stdout" for one in held]))


# The changed rows of an operation on half of all users: as recorded, and as one line for each column.
DONE = """select c.payload ->> 'table' as "table", c.payload -> 'key' as key, c.payload -> 'before' as before, c.payload -> 'after' as after,
                 c.erased as erased_by
            from usher.operation o join usher.change c on c.operation = o.id where o.parent = '{0}' order by o.at, o.id, c.ordinal"""
COLUMNS = """select c.payload ->> 'table' as "table", (select string_agg(k.key || '=' || k.value, ', ' order by k.key)
                    from jsonb_each_text(c.payload -> 'key') k) as key, v.key as "column", v.before, v.after
               from usher.operation o join usher.change c on c.operation = o.id
               left join lateral (select key, b.value as before, a.value as after from jsonb_each_text(nullif(c.payload -> 'before', 'null')) b
                                    full join jsonb_each_text(nullif(c.payload -> 'after', 'null')) a using (key)) v on true
              where o.parent = '{0}' order by o.at, o.id, c.ordinal, v.key"""


def told(bench, users, output, statement):
    name = bench.behind(users)
    bulk = bench.sql(name, "select id from usher.operation where kind = 'bulk'")
    return Pair(name, lambda db: [bench.usher, "-d", db, "audit", "show", bulk, "-o", output], bench.ask(statement.format(bulk)))


@row(r"audit show -o ndjson of a change of half, compared with psql's \copy", target=1.5, growth="linear", flat=True)
def changes(bench, users):
    return told(bench, users, "ndjson", rf"\copy (select to_json(c) from ({one_line(DONE)}) c) to stdout")


@row(r"audit show -o csv of a change of half, compared with psql's \copy", target=1.5, growth="linear", flat=True)
def columns(bench, users):
    return told(bench, users, "csv", rf"\copy ({one_line(COLUMNS)}) to stdout (format csv, header)")
