#!/usr/bin/env python3
"""How soon the console is ready and answers TAB, beside psql, and pgcli where it is installed.

    Tests/Benchmarks/console.py [PROGRAM]

PROGRAM is a release build of usher, .build/release/usher unless given. Everything runs in turns on one private
Postgres, and what is printed are medians and their ratios; nothing is judged here.
"""
import json
import os
import pty
import re
import select
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 21
SEQUENCES = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z~]|\x1b[=>]|[\r\x01\x02\x07]")


class Terminal:
    """A program at a terminal of its own; what it shows is waited for, never guessed at."""

    def __init__(self, words, environment):
        self.began = time.perf_counter()
        self.pid, self.keyboard = pty.fork()
        if self.pid == 0:
            os.execvpe(words[0], words, environment)
        self.shown = b""

    def wait(self, pattern, patience=20):
        """Seconds from the last key, or from the start, until the screen shows a pattern behind what was seen."""
        deadline = time.perf_counter() + patience
        while True:
            text = SEQUENCES.sub(b"", self.shown)
            found = re.search(pattern, text)
            if found:
                took = time.perf_counter() - self.began
                self.shown = text[found.end():]
                return took
            ready, _, _ = select.select([self.keyboard], [], [], max(0, deadline - time.perf_counter()))
            if not ready:
                raise TimeoutError(f"waited in vain for {pattern!r}; there is {text!r}")
            data = os.read(self.keyboard, 65536)
            # prompt_toolkit asks where the cursor is, and waits for an answer.
            if b"\x1b[6n" in data:
                os.write(self.keyboard, b"\x1b[1;1R")
            self.shown += data

    def type(self, text):
        self.began = time.perf_counter()
        os.write(self.keyboard, text)

    def close(self):
        os.close(self.keyboard)
        try:
            os.kill(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.waitpid(self.pid, 0)


def one_shot(words):
    def measure(environment):
        began = time.perf_counter()
        subprocess.run(words, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return time.perf_counter() - began
    return measure


def ready(words, prompt):
    """From the start of the program to its prompt."""
    def measure(environment):
        terminal = Terminal(words, environment)
        try:
            return terminal.wait(prompt)
        finally:
            terminal.close()
    return measure


def tab(words, prompt, line, answer, keys=b"\t", warm=True):
    """From TAB to the completed word; the line before was completed once, so that caches are what they are in life."""
    def measure(environment):
        terminal = Terminal(words, environment)
        try:
            terminal.wait(prompt)
            for _ in range(2 if warm else 1):
                terminal.type(line)
                terminal.wait(re.escape(line))
                terminal.type(keys)
                took = terminal.wait(answer)
                terminal.type(b"\x15")
                terminal.type(b"\r")
                terminal.wait(prompt)
            return took
        finally:
            terminal.close()
    return measure


def main():
    usher = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else ".build/release/usher")
    kept = subprocess.run([usher, "demo", "--keep", "--json", "-q"], check=True, capture_output=True, text=True)
    demo = json.loads(kept.stdout)
    scratch = tempfile.mkdtemp()
    environment = {
        "PATH": os.environ["PATH"], "HOME": scratch, "TERM": "xterm", "LC_ALL": "C.UTF-8", "INPUTRC": "/dev/null",
        "PGHOST": demo["folder"], "PGUSER": "operator", "PGDATABASE": "impulse", "PAGER": "cat",
    }
    informed = rb"test impulse> "
    psql, sql = ["psql", "-X"], rb"impulse=[>#] "
    groups = {
        "version": {"usher": one_shot([usher, "version"]), "psql": one_shot(["psql", "-X", "--version"])},
        "one question": {
            "usher": one_shot([usher, "user", "find", "grace@example.com", "-o", "name"]),
            "psql": one_shot(psql + ["-c", "select id from public.profiles where lower(email) = 'grace@example.com'"]),
        },
        "first prompt": {"usher": ready([usher], rb"> "), "psql": ready(psql, sql)},
        "prompt that knows the place": {"usher": ready([usher], informed), "psql": ready(psql, sql)},
        "TAB, a word of the grammar": {
            "usher": tab([usher], informed, b"user sh", rb"ow "), "psql": tab(psql, sql, b"create vi", rb"ew "),
        },
        "TAB, what the database knows": {
            "usher": tab([usher], informed, b"user show grace@e", rb"xample\.com "),
            "psql": tab(psql, sql, b"select * from public.iap_s", rb"ubscriptions "),
        },
        "TAB in a shell, a word": {
            "usher": one_shot([usher, "__complete", "--", "user", "sh"]), "psql": one_shot(["psql", "-X", "--version"]),
        },
        "TAB in a shell, a user": {
            "usher": one_shot([usher, "__complete", "--", "user", "show", "grace@e"]),
            "psql": one_shot(psql + ["-c", "select 1"]),
        },
    }
    if pgcli := shutil.which("pgcli"):
        words = [pgcli, "--less-chatty"]
        groups["first prompt"]["pgcli"] = ready(words, rb"impulse>")
        groups["prompt that knows the place"]["pgcli"] = groups["first prompt"]["pgcli"]
    try:
        print(f"{'median of ' + str(ROUNDS):32}{'usher':>10}{'psql':>10}{'ratio':>8}{'pgcli':>10}{'ratio':>8}")
        for name, programs in groups.items():
            times = {program: [] for program in programs}
            # In turns, so that what else the machine does befalls all alike.
            for _ in range(ROUNDS):
                for program, measure in programs.items():
                    times[program].append(measure(environment))
            medians = {program: statistics.median(taken) for program, taken in times.items()}
            line = f"{name:32}{medians['usher'] * 1000:8.1f}ms"
            for other in ("psql", "pgcli"):
                if other in medians:
                    line += f"{medians[other] * 1000:8.1f}ms{medians['usher'] / medians[other]:8.2f}"
            print(line, flush=True)
    finally:
        subprocess.run([usher, "demo", "--stop", demo["folder"]], check=True, stdout=subprocess.DEVNULL)
        shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
