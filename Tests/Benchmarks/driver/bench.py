"""What rows need to be made of: databases, peers, and words."""
import os
import pathlib
import shutil
import struct
import subprocess

from . import server as servers
from . import wire


class Bench:
    def __init__(self, server, tools, scratch):
        self.server, self.tools, self.scratch = server, tools, pathlib.Path(scratch)
        self.usher, self.data = server.usher, servers.HERE / "data"
        self.psql = [str(server.bin / "psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1"]
        # A home of their own: what the program remembers there is remembered from run to run, as in life.
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": scratch, "TERM": "xterm", "LC_ALL": "C.UTF-8", "INPUTRC": "/dev/null", "PAGER": "cat",
        }

    def users(self, count):
        return servers.users(self.server, count)

    def members(self, count, partitions=0):
        return servers.members(self.server, count, partitions)

    def plain(self, name, **variables):
        return servers.plain(self.server, name, **variables)

    def variant(self, name, count, statements, app=None):
        """The users with something besides, or with another app file installed, kept like all that is built."""
        return servers.variant(self.server, f"{name}_{count}", self.users(count), statements, app and str(self.data / app))

    def behind(self, count):
        """The users behind a change of half of them."""
        return servers.variant(self.server, f"behind_{count}", self.users(count), "", then=lambda name: self.run(
            [self.usher, "-d", self.db(name), "--no-input", "--no-progress", "trial", "expire", "--due", "--confirm", count // 2]))

    def sql(self, name, text):
        return self.server.sql(name, text)

    def db(self, name):
        return self.server.db(name)

    def run(self, words):
        subprocess.run(list(map(str, words)), check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       env=self.environment)

    def file(self, name, text):
        path = self.scratch / name
        path.write_text(text)
        return str(path)

    def ask(self, *statements):
        """The peer that is psql itself."""
        words = [word for statement in statements for word in ("-c", statement)]
        return lambda db: [*self.psql, "-o", "/dev/null" if not statements[0].startswith("\\copy") else "/dev/stdout", "-d", db, *words]

    def overheard(self, ours, name):
        """A file with what ours sends to a database."""
        return wire.replayable(self.heard(ours, name), self.scratch / f"overheard_{name}")

    def heard(self, ours, name):
        """What ours sends, by connection and turn, when it was here before."""
        return wire.overhear(self.server, ours, name, self.environment)

    def trips(self, ours, name):
        """How many round trips it takes, those of its connections with them."""
        return sum(map(len, self.heard(ours, name)))

    def pages(self, ours, name):
        """How many pages of a database the server looks at for it, when it was here before."""
        for _ in range(2):
            before = self.server.pages(name)
            subprocess.run(list(map(str, ours(self.db(name)))), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, env=self.environment)
        return self.server.pages(name) - before

    def script(self, steps):
        """A file with statements written by hand, in steps that are sent at once."""
        path = self.scratch / f"script_{len(list(self.scratch.iterdir()))}"
        records = []
        for step in steps:
            for statement in step:
                text = statement.encode()
                records.append(b"Q" + struct.pack("=i", len(text)) + text + b"\0" + struct.pack("=ii", 0, 0))
            records.append(b"YW")
        path.write_bytes(b"".join(records))
        return path

    def replay(self, path):
        """The peer that is a C client of libpq, and sends what the file says."""
        return lambda db: [self.tools.replay, db, path]


def program(given):
    """The program to be measured: the one named, else the newest release build."""
    root = servers.HERE.parent.parent
    places = [given] if given else [root / ".build/release/usher", root / ".build/rel/release/usher"]
    found = [path for path in map(str, filter(None, places)) if os.access(path, os.X_OK)] or ([shutil.which(given)] if given else [])
    if not found or not found[0]:
        raise SystemExit("there is no release build; make one with: swift build -c release --static-swift-stdlib --product usher")
    return os.path.abspath(max(found, key=os.path.getmtime))
