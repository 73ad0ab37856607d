"""A private Postgres server for the benchmarks. It builds each database once, and copies a database that a command changes."""
import fcntl
import hashlib
import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent.parent
SQL = HERE.parent.parent / "sql"
ADA = "00000000-0000-0000-0000-00000000000a"
SETTINGS = {
    # The server may lose its data, and background work must not affect one side more than the other.
    "fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "autovacuum": "off", "jit": "off",
    "max_parallel_workers_per_gather": "0", "max_wal_size": "8GB", "checkpoint_timeout": "1h", "shared_buffers": "512MB",
    "listen_addresses": "", "client_min_messages": "warning", "max_connections": "40",
}


def programs():
    """The folder of the newest Postgres programs on this machine."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    if on_path := shutil.which("postgres"):
        return pathlib.Path(on_path).resolve().parent
    raise SystemExit("no Postgres server is installed here")


def forget_others():
    """Removes the variables that would lead programs to another server, or usher to another app file."""
    for name in [name for name in os.environ if name.startswith(("PG", "USHER_")) or name == "DATABASE_URL"]:
        del os.environ[name]


class Server:
    def __init__(self, usher, cache):
        forget_others()
        self.usher, self.bin = usher, programs()
        # A server refuses to run as root.
        self.account = "postgres" if os.geteuid() == 0 else None
        parts = [path.read_bytes() for path in sorted([*HERE.glob("data/*"), *SQL.glob("demo/*_schema.sql"), *SQL.glob("usher/**/*.sql")])]
        parts += [SQL.joinpath("apps/impulse.sql").read_bytes(), repr(SETTINGS).encode(), str(self.bin).encode()]
        # The key contains the day, so the data is at most a day old, because trials become due as time passes.
        key = hashlib.sha256(b"".join(parts) + time.strftime("%F").encode()).hexdigest()[:12]
        self.folder = pathlib.Path(cache or os.path.join(tempfile.gettempdir(), f"usher-benchmarks-{os.getuid()}")) / key
        self.sockets = tempfile.mkdtemp(prefix="usher-bench-")
        self.psql = [str(self.bin / "psql"), "-XAtq", "-v", "ON_ERROR_STOP=1"]

    def __enter__(self):
        if self.account:
            os.chown(self.sockets, pwd.getpwnam(self.account).pw_uid, -1)
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        self.lock = open(self.folder.parent / "lock", "w")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SystemExit(f"another benchmark uses {self.folder.parent}; name another place with --cache")
        # Removes the data of other days and other versions of the files. This process has the lock, so no other benchmark uses
        # the data.
        for old in self.folder.parent.glob("*/data"):
            if (old / "postmaster.pid").exists():
                self.stop(old)
            if old.parent != self.folder:
                shutil.rmtree(old.parent)
        data = self.folder / "data"
        if not data.exists():
            self.folder.mkdir(exist_ok=True)
            if self.account:
                os.chown(self.folder, pwd.getpwnam(self.account).pw_uid, -1)
            self.run("initdb", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "-D", data)
        options = " ".join(f"-c {name}={value}" for name, value in SETTINGS.items() if value) + " -c listen_addresses="
        self.run("pg_ctl", "-w", "-D", data, "-l", self.folder / "log", "-o", f"{options} -k {self.sockets}", "start")
        self.postmaster = int((data / "postmaster.pid").read_text().split()[0])
        try:
            if not self.sql("postgres", "select 1 from pg_roles where rolname = 'operator'"):
                self.sql("postgres", "create role operator login bypassrls")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.stop(self.folder / "data")
        shutil.rmtree(self.sockets)

    def stop(self, data):
        self.run("pg_ctl", "-w", "-D", data, "-m", "fast", "stop", check=False)

    def run(self, program, *words, check=True):
        subprocess.run([self.bin / program, *map(str, words)], check=check, stdout=subprocess.DEVNULL, user=self.account, cwd="/",
                       **({"extra_groups": []} if self.account else {}))

    def db(self, name, role="operator", host=None):
        return f"host={host or self.sockets} dbname={name} user={role}"

    def sql(self, name, text, role="postgres", **variables):
        """The output of the statements, run by the superuser or by another role."""
        words = [word for name_, value in variables.items() for word in ("-v", f"{name_}={value}")]
        done = subprocess.run([*self.psql, *words, "-d", self.db(name, role)], input=text, text=True, capture_output=True)
        if done.returncode:
            raise SystemExit(f"{name}: {done.stderr}")
        return done.stdout.strip()

    def pages(self, name):
        """The number of pages that ended sessions have read in a database, from memory or disk."""
        while self.sql("postgres", f"select 1 from pg_stat_activity where datname = '{name}'"):
            time.sleep(0.01)
        return int(self.sql("postgres", f"select blks_hit + blks_read from pg_stat_database where datname = '{name}'"))

    def built(self, name, statements, install=("install",), role="operator", **variables):
        """The name of a template database that these statements fill and `usher install` completes; it is built once and kept."""
        if self.sql("postgres", f"select 1 from pg_database where datname = '{name}' and datistemplate"):
            return name
        self.sql("postgres", f'drop database if exists "{name}"')
        self.sql("postgres", f'create database "{name}" owner operator template template0')
        self.sql(name, "alter schema public owner to operator")
        for text, needs in statements:
            self.sql(name, text, role=needs, **variables)
        if install:
            self.install(name, role, *install)
        self.sql(name, "vacuum (freeze, analyze)")
        self.sql("postgres", f"checkpoint; alter database \"{name}\" is_template true")
        return name

    def install(self, name, role, *words):
        words = [self.usher, "-d", self.db(name, role), "--no-input", "-y", "-q", *words, "--environment", "test"]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)

    def copy(self, template, name="work"):
        """Creates a copy of a template and reads its tables into memory."""
        self.sql("postgres", f'drop database if exists "{name}"')
        self.sql("postgres", f'create database "{name}" owner operator template "{template}"')
        self.sql(name, "do $$ declare t regclass; begin for t in select oid from pg_class where relnamespace in (select oid from pg_namespace"
                 " where nspname in ('public', 'auth', 'app')) and relkind = 'r' loop execute format('select count(*) from %s', t); end loop; end $$;"
                 " checkpoint")
        # A copy loses the environment of its template, so this marks the copy as a test database again.
        if self.sql(name, "select to_regclass('usher.environment')"):
            self.sql(name, SQL.joinpath("usher/mark_environment.sql").read_text().replace("$1", "'test'"), role="operator")
        return name


def files(*paths):
    return [(SQL.joinpath(path).read_text(), "operator") for path in paths]


def users(server, count):
    """A database of Impulse AI with `count` users in all states."""
    filling = [(HERE.joinpath("data/users.sql").read_text(), "postgres")]
    return server.built(f"users_{count}", files("demo/supabase_schema.sql", "demo/impulse_schema.sql") + filling,
                        install=("--app", "impulse", "install"), users=count)


def members(server, count, partitions=0):
    """A database with one table of members, and with `partitions` partitions."""
    data = [(HERE.joinpath("data/members.sql").read_text(), "operator")]
    return server.built(f"members_{count}_{partitions}", data, install=("--app", str(HERE / "data/members.app.sql"), "install"), users=count,
                        partitions=partitions, partitioning="partition by hash (id)" if partitions else "")


def plain(server, name, **variables):
    """A small database without an app file."""
    data = [(HERE.joinpath(f"data/{name}.sql").read_text(), "operator")]
    return server.built("_".join([name, *map(str, variables.values())]), data, ada=ADA, **variables)


def variant(server, name, template, statements, app=None, then=None):
    """A copy of a database with more rows, another app file, or a command that ran on it; it is built once and kept."""
    if not server.sql("postgres", f"select 1 from pg_database where datname = '{name}' and datistemplate"):
        server.copy(template, name)
        server.sql(name, statements)
        if app:
            server.install(name, "operator", "--app", app, "install")
        if then:
            then(name)
        server.sql(name, "vacuum (freeze, analyze)")
        server.sql("postgres", f'checkpoint; alter database "{name}" is_template true')
    return name
