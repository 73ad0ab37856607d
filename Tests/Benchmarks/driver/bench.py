"""Databases, peers and commands for the rows of the benchmark."""
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
        # A separate home folder, so that usher keeps its caches between runs as it does for operators.
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
        """A database of users with more rows or another app file, built once and kept."""
        return servers.variant(self.server, f"{name}_{count}", self.users(count), statements, app and str(self.data / app))

    def behind(self, count):
        """A database of users after a change of half of the users."""
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
        """A peer that runs the statements with psql."""
        words = [word for statement in statements for word in ("-c", statement)]
        return lambda db: [*self.psql, "-o", "/dev/null" if not statements[0].startswith("\\copy") else "/dev/stdout", "-d", db, *words]

    def overheard(self, ours, name):
        """Writes the statements that usher sends to a database into a file, and returns its path."""
        return wire.replayable(self.heard(ours, name), self.scratch / f"overheard_{name}")

    def heard(self, ours, name):
        """The messages that usher sends with warm caches, by connection and turn."""
        return wire.overhear(self.server, ours, name, self.environment)

    def trips(self, ours, name):
        """The number of round trips of a command with warm caches, including those that connect."""
        return sum(map(len, self.heard(ours, name)))

    def pages(self, ours, name):
        """The number of pages that the server reads for a command with warm caches."""
        for _ in range(2):
            before = self.server.pages(name)
            subprocess.run(list(map(str, ours(self.db(name)))), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, env=self.environment)
        return self.server.pages(name) - before

    def script(self, steps):
        """Writes handwritten statements to a file; the client sends the statements of a step together."""
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
        """A peer that sends the statements of a file through libpq, from a C program."""
        return lambda db: [self.tools.replay, db, path]


def program(given):
    """The path of the program to measure: the given program, or the newest release build."""
    root = servers.HERE.parent.parent
    places = [given] if given else [root / ".build/release/usher", root / ".build/rel/release/usher"]
    found = [path for path in map(str, filter(None, places)) if os.access(path, os.X_OK)] or ([shutil.which(given)] if given else [])
    if not found or not found[0]:
        raise SystemExit("there is no release build; make one with: swift build -c release --static-swift-stdlib --product usher")
    return os.path.abspath(max(found, key=os.path.getmtime))
