"""Nothing grows: memory and round trips of every verb that reads or writes users, at a tenth of them and at all."""
from driver.row import Pair, collect

ROWS, row = collect()

WHO = "user12@example.com"
READING = [
    ["user", "find", WHO], ["user", "find", "user12@"], ["user", "find", "nobody has it"], ["user", "list"], ["user", "list", "-o", "json"],
    ["user", "list", "--where", "due"], ["user", "list", "--decision", "access=paywall"], ["user", "list", "--decisions", "-o", "csv"],
    ["user", "show", WHO], ["user", "why", WHO], ["user", "timeline", WHO], ["user", "export", WHO], ["quota", "show", WHO],
    ["session", "list", WHO], ["trial", "list"], ["partner", "list", "-o", "csv"], ["subscription", "list", "-o", "csv"], ["event", "list"],
    ["check"], ["stats"], ["account", "plan", WHO], ["account", "residue", WHO], ["doctor"], ["audit", "list"],
]
WRITING = [
    ["trial", "extend", WHO, "--days", "7", "-n"], ["trial", "expire", "--due", "-n"], ["trial", "expire", "user10@example.com", "-y"],
    ["account", "delete", WHO, "--confirm", WHO, "--reason", "benchmark", "-n"], ["quota", "set", "trial", "impulse_limit", "4", "-y"],
    ["state", "force", WHO, "quota-exhausted", "-y"],
]


def alone(words, fresh):
    @row(" ".join(words), target=None, measure="megabytes", growth="none", trips=True, flat=True, runs=1)
    def verb(bench, users):
        return Pair(bench.users(users), lambda db: [bench.usher, "-d", db, "--no-input", "--no-progress", *words], fresh=fresh, may_fail=True)


for words in READING:
    alone(words, False)
for words in WRITING:
    alone(words, True)
