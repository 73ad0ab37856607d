"""Cost that must not grow with the number of users: memory and round trips of commands that read or write users. For commands about
one user or one operation, this includes the pages that the server reads, also after a change of half of all users."""
from driver.row import Pair, collect

ROWS, row = collect()

WHO = "user12@example.com"
LOOKING = [
    ["user", "find", WHO], ["user", "find", "user12@"], ["user", "show", WHO], ["user", "why", WHO], ["user", "timeline", WHO],
    ["quota", "show", WHO], ["session", "list", WHO], ["audit", "list"],
]
READING = [
    ["user", "find", "nobody has it"], ["user", "list"], ["user", "list", "-o", "json"],
    ["user", "list", "--where", "due"], ["user", "list", "--decision", "access=paywall"], ["user", "list", "--decisions", "-o", "csv"],
    ["user", "export", WHO], ["trial", "list"], ["partner", "list", "-o", "csv"], ["subscription", "list", "-o", "csv"], ["event", "list"],
    ["check"], ["stats"], ["account", "plan", WHO], ["account", "search", WHO], ["doctor"],
]
# A user whom the change of half of all users changed.
ONE = "user9@example.com"
BEHIND = [["audit", "list"], ["audit", "list", "--user", ONE], ["audit", "show"], ["user", "show", ONE], ["user", "timeline", ONE]]
WRITING = [
    ["trial", "extend", "user10@example.com", "--days", "7", "-n"], ["trial", "expire", "--due", "-n"], ["trial", "expire", "user10@example.com", "-y"],
    ["account", "delete", WHO, "--confirm", WHO, "--reason", "benchmark", "-n"], ["quota", "set", "trial", "impulse_limit", "4", "-y"],
    ["state", "force", WHO, "quota-exhausted", "-y"],
]


def alone(words, fresh, pages=False):
    @row(" ".join(words), target=None, measure="megabytes", growth="none", trips=True, flat=True, runs=1, pages=pages)
    def verb(bench, users):
        return Pair(bench.users(users), lambda db: [bench.usher, "-d", db, "--no-input", "--no-progress", *words], fresh=fresh, may_fail=True)


def behind(words):
    @row(" ".join(words) + ", after a change of half of all users", target=None, measure="megabytes", growth="none", trips=True, flat=True, runs=1,
         pages=True)
    def verb(bench, users):
        name = bench.behind(users)
        which = [bench.sql(name, "select id from usher.operation where kind = 'bulk'")] if words == ["audit", "show"] else []
        return Pair(name, lambda db: [bench.usher, "-d", db, "--no-input", *words, *which])


for words in LOOKING:
    alone(words, False, pages=True)
for words in READING:
    alone(words, False)
for words in BEHIND:
    behind(words)
for words in WRITING:
    alone(words, True)
