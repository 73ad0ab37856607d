"""Deletions of accounts compared with the native cascade, and the plans and searches before and after a deletion."""
from driver.row import Pair, collect
from driver.server import ADA

ROWS, row = collect()

REASON = ["--reason", "benchmark", "-q", "--no-input", "--no-progress"]


def delete_ada(bench, *more):
    return lambda db: [bench.usher, "-d", db, "account", "delete", ADA, "--root", "public.users", "--confirm", ADA, *REASON, *more]


@row("account delete of 200,000 rows, compared with the native cascade", target=1.3)
def large(bench, users):
    return Pair(bench.plain("account"), delete_ada(bench), bench.ask(f"delete from users where id = '{ADA}'"), fresh=True)


@row("account delete of one small account, compared with the native cascade", target=5, growth="none", trips=True)
def small(bench, users):
    return Pair(bench.users(users),
                lambda db: [bench.usher, "-d", db, "account", "delete", "user12@example.com", "--confirm", "user12@example.com", *REASON],
                bench.ask("delete from auth.users where id = md5('user12')::uuid"), fresh=True)


@row("account delete of 1 % of the users, compared with the native cascade", target=1.5, growth="linear")
def many(bench, users):
    count = users // 100
    given = bench.file(f"accounts_{count}", "".join(f"user{n * 100 - 88}@example.com\n" for n in range(1, count + 1)))
    return Pair(bench.users(users),
                lambda db: [bench.usher, "-d", db, "account", "delete", "--from", given, "--confirm", str(count), *REASON],
                bench.ask(f"delete from auth.users where id in (select md5('user' || (n * 100 - 88))::uuid from generate_series(1, {count}) n)"), fresh=True)


@row("account delete --build-indexes, times faster than native without index", target=50, measure="times faster", runs=1)
def unindexed(bench, users):
    return Pair(bench.plain("unindexed"), delete_ada(bench, "--build-indexes"), bench.ask(f"delete from users where id = '{ADA}'"), fresh=True)


def plan(bench):
    return lambda db: [bench.usher, "-d", db, "account", "plan", ADA, "--root", "public.users", "-q"]


@row("account plan of an empty account in 500 tables, seconds", target=0.1, measure="seconds", times=3)
def plan_500(bench, users):
    return Pair(bench.plain("wide", tables=500), plan(bench))


@row("account plan of an empty account in 1,400 tables, seconds", target=1.0, measure="seconds", times=3)
def plan_1400(bench, users):
    return Pair(bench.plain("wide", tables=1400), plan(bench))


@row("account search, compared with a text search of every table by psql", target=1.3, growth="linear")
def search(bench, users):
    name = bench.users(users)
    tables = bench.sql(name, """select format('%I.%I', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace
                                 where c.relkind = 'r' and n.nspname in ('public', 'auth', 'storage') order by 1""").split()
    searches = [f"select count(*) from {table} t where t::text ilike any (array['%user12@example.com%', '%' || md5('user12')::uuid || '%'])"
                for table in tables]
    return Pair(name, lambda db: [bench.usher, "-d", db, "account", "search", "user12@example.com"], bench.ask(*searches), may_fail=True)
