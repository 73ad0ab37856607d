"""The time until the program starts, is ready, and completes a word, compared with psql. Terminal rows measure the clock."""
import shutil

from driver.row import Pair, collect
from driver.terminal import ready, tab

ROWS, row = collect()

SQL = rb"\w+=[>#] "
OURS = rb"test impulse> "
PGCLI = rb"\w+>"


@row("version, compared with psql --version", target=1.0, times=20)
def version(bench, users):
    return Pair(None, lambda db: [bench.usher, "version"], lambda db: [bench.psql[0], "--version"])


@row("--version, compared with psql --version", target=1.0, times=20)
def version_alone(bench, users):
    return Pair(None, lambda db: [bench.usher, "--version"], lambda db: [bench.psql[0], "--version"])


@row("help, compared with psql --help", target=1.0, times=20)
def help_(bench, users):
    return Pair(None, lambda db: [bench.usher, "help"], lambda db: [bench.psql[0], "--help"])


@row("TAB in a shell completes a command, compared with psql --version", target=1.0, times=20)
def shell_word(bench, users):
    return Pair(None, lambda db: [bench.usher, "__complete", "--", "user", "sh"], lambda db: [bench.psql[0], "--version"])


@row("TAB in a shell completes a user, compared with one query by psql", target=None, times=10, growth="none", trips=True)
def shell_user(bench, users):
    return Pair(bench.users(users), lambda db: [bench.usher, "-d", db, "__complete", "--", "user", "show", f"user{users - 9}@"],
                bench.ask(f"select email from public.profiles where lower(email) like 'user{users - 9}@%' limit 20"))


@row("start to the prompt, compared with psql", target=1.0, measure="wall", runs=9)
def prompt(bench, users):
    return Pair(bench.users(users), lambda db: ready([bench.usher, "-d", db], rb"> ", bench.environment),
                lambda db: ready([bench.psql[0], "-X", db], SQL, bench.environment))


@row("start to the prompt with app and environment, compared with psql", target=None, measure="wall", runs=9)
def informed(bench, users):
    return Pair(bench.users(users), lambda db: ready([bench.usher, "-d", db], OURS, bench.environment),
                lambda db: ready([bench.psql[0], "-X", db], SQL, bench.environment))


@row("TAB in the console completes a command, compared with psql", target=None, measure="wall", runs=9)
def word(bench, users):
    return Pair(bench.users(users), lambda db: tab([bench.usher, "-d", db], OURS, b"user sh", rb"ow ", bench.environment),
                lambda db: tab([bench.psql[0], "-X", db], SQL, b"create vi", rb"ew ", bench.environment))


@row("TAB in the console completes a user, compared with a table in psql", target=None, measure="wall", runs=9)
def user(bench, users):
    return Pair(bench.users(users),
                lambda db: tab([bench.usher, "-d", db], OURS, f"user show user{users - 9}@e".encode(), rb"xample\.com ", bench.environment),
                lambda db: tab([bench.psql[0], "-X", db], SQL, b"select * from public.iap_s", rb"ubscriptions ", bench.environment))


if pgcli := shutil.which("pgcli"):
    @row("start to the prompt, compared with pgcli", target=1.0, measure="wall", runs=5)
    def beside_pgcli(bench, users):
        return Pair(bench.users(users), lambda db: ready([bench.usher, "-d", db], rb"> ", bench.environment),
                    lambda db: ready([pgcli, "--less-chatty", db], PGCLI, bench.environment))
