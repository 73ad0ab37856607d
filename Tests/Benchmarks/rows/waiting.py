"""The time that a person waits for each command, as a ratio to `psql -c 'select 1'`."""
from driver.row import Pair, collect

ROWS, row = collect()

# The number of users in the demo; it doesn't depend on --users.
DEMO = 1_000
WHO = "user12@example.com"
# A user with a trial; usher refuses to extend the trial of anybody else.
ON_TRIAL = "user1@example.com"
REASON = ["--reason", "benchmark"]
VERBS = [
    (["help"], 0.5),
    (["user", "find", WHO], 2),
    (["user", "show", WHO], 5),
    (["user", "why", WHO], 3),
    (["trial", "extend", ON_TRIAL, "--days", "7", "-n"], 5),
    (["trial", "extend", ON_TRIAL, "--days", "7", "-y"], 5),
    (["account", "plan", WHO], 6),
    (["account", "delete", WHO, "--confirm", WHO, *REASON, "-n"], 12),
    (["account", "search", WHO], 25),
    (["app", "check"], 25),
    (["doctor"], 25),
    (["roles", "sql"], 15),
]


def waiting(words, target):
    @row(" ".join(words), target=target, measure="wall", runs=7)
    def verb(bench, users):
        ours = [bench.usher, "--no-input", "--no-progress", *words]
        # The exit status of the search is 1, because it finds the user in columns that the app file doesn't declare.
        return Pair(bench.users(DEMO), lambda db: [*ours, "-d", db], bench.ask("select 1"), fresh="-y" in words, may_fail="search" in words)


for words, target in VERBS:
    waiting(words, target)
