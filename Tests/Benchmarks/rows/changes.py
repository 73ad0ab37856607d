"""Bulk changes of half of all users and their undo, compared with one plain UPDATE of the same rows."""
from driver.row import Pair, collect

ROWS, row = collect()

DUE = "subscription_tier = 'trial' and subscription_status = 'active' and trial_ends_at <= now()"
RAW = f"update public.profiles set subscription_status = 'expired', trial_ends_at = least(trial_ends_at, now()) where {DUE}"


# A row-level audit trigger, as a team would use it instead of usher.
AUDIT = """create table public.audit_log (id bigint generated always as identity primary key, at timestamptz not null default clock_timestamp(),
        operator name not null default session_user, relation text not null, key text not null, before jsonb, after jsonb);
    create function public.audit() returns trigger language plpgsql security definer set search_path = '' as $$ begin
        insert into public.audit_log (relation, key, before, after) values (tg_table_name, old.id::text, to_jsonb(old), to_jsonb(new));
        return null; end $$;
    create trigger audit after update on public.profiles for each row execute function public.audit()"""


def expire(bench, users):
    return lambda db: [bench.usher, "-d", db, "--no-input", "--no-progress", "trial", "expire", "--due", "--confirm", str(users // 2)]


def by(bench, app, users, *verb):
    """The command of a bulk change in an app file of the benchmark."""
    words = ["--app", str(bench.data / app), "--no-input", "--no-progress", *verb, "--due", "--confirm", str(users // 2)]
    return lambda db: [bench.usher, "-d", db, *words]


def longest_part(bench, name):
    """The seconds between two batches, an upper limit for the time that a batch locks a row."""
    return float(bench.sql(name, """select coalesce(max(extract(epoch from took)), 0) from (
        select o.at - lag(o.at) over (order by o.at) as took from usher.operation o where o.kind = 'batch') o"""))


@row("bulk change with refusals and @expect, compared with one UPDATE", target=2.5, growth="linear", flat=True)
def bulk(bench, users):
    return Pair(bench.users(users), expire(bench, users), bench.ask(RAW), fresh=True)


@row("bulk change with refusals and @expect, compared with one UPDATE under an audit trigger", target=1.3)
def audited(bench, users):
    return Pair(bench.users(users), expire(bench, users), bench.ask(RAW), fresh=True, before_peer=lambda name: bench.sql(name, AUDIT))


@row("longest time that a bulk change locks a row, seconds", target=1.0, measure="seconds")
def locks(bench, users):
    def ours(name):
        bench.run(expire(bench, users)(bench.db(name)))
        return longest_part(bench, name)
    return Pair(bench.users(users), ours, fresh=True)


@row("bulk change without refusals, compared with one UPDATE", target=2.0, growth="linear")
def lean(bench, users):
    name = bench.variant("close", users, "", app="close.app.sql")
    return Pair(name, by(bench, "close.app.sql", users, "trial", "close"), bench.ask(RAW), fresh=True)


@row("bulk change that refuses nearly all of the named users", target=None, growth="linear", flat=True)
def refused(bench, users):
    named = bench.sql(bench.users(users), f"""(select id from public.profiles where {DUE} order by id limit 500)
        union all (select id from public.profiles where subscription_tier <> 'trial' order by id)""")
    ids = bench.file(f"named_{users}", named + "\n")
    words = ["--no-input", "--no-progress", "trial", "expire", "--from", ids, "--confirm", str(len(named.split()))]
    return Pair(bench.users(users), lambda db: [bench.usher, "-d", db, *words], fresh=True, may_fail=True)


def last(bench, name):
    return bench.sql(name, "select id from usher.operation where kind in ('bulk', 'change') order by at desc limit 1")


@row("undo of a bulk change, compared with one UPDATE", target=2.5, growth="linear", flat=True)
def undo(bench, users):
    def done(name):
        bench.run(expire(bench, users)(bench.db(name)))
        bench.sql(name, "checkpoint")
    def updated(name):
        bench.sql(name, f"""create table public.before as select id, trial_ends_at from public.profiles where {DUE};
            alter table public.before add primary key (id), owner to operator""")
        bench.sql(name, RAW)
        bench.sql(name, "analyze public.before; checkpoint")
    return Pair(
        bench.users(users),
        lambda db: [bench.usher, "-d", db, "--no-input", "--no-progress", "audit", "undo", last(bench, "work"), "--confirm", str(users // 2)],
        bench.ask("update public.profiles p set subscription_status = 'active', trial_ends_at = b.trial_ends_at from public.before b where b.id = p.id"),
        fresh=True, before=done, before_peer=updated)


@row("bulk change in 64 partitions, compared with no partitions", target=1.5)
def partitions(bench, users):
    end = by(bench, "members.app.sql", users, "member", "end")
    return Pair(bench.members(users, 64), end, end, fresh=True, other=bench.members(users))


@row("change of one user, compared with the same UPDATE by psql", target=None, growth="none", times=1, trips=True)
def one(bench, users):
    address = "user10@example.com"
    statement = f"""update public.profiles set trial_ends_at = greatest(trial_ends_at, now()) + interval '7 days'
                     where id = (select id from public.profiles where lower(email) = '{address}')"""
    return Pair(bench.users(users), lambda db: [bench.usher, "-d", db, "--no-input", "-y", "trial", "extend", address, "--days", "7"],
                bench.ask(statement), fresh=True)
