"""The cost of a command: clock seconds, processor seconds of client and server together, and memory."""
import dataclasses
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

TICK = os.sysconf("SC_CLK_TCK")


@dataclasses.dataclass
class Spent:
    wall: float
    cpu: float
    memory: float = 0.0


class Tools:
    """The two C programs that measure commands and replay statements, compiled once for each run."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="usher-bench-tools-")
        os.chmod(self.folder.name, 0o755)
        source = pathlib.Path(__file__).resolve().parent.parent / "tools"
        compiler = os.environ.get("CC", "cc")
        flags = subprocess.run(["pg_config", "--includedir"], capture_output=True, text=True).stdout.strip()
        self.timed, self.replay = f"{self.folder.name}/timed", f"{self.folder.name}/replay"
        subprocess.run([compiler, "-O2", "-o", self.timed, source / "timed.c"], check=True)
        subprocess.run([compiler, "-O2", f"-I{flags}", "-o", self.replay, source / "replay.c", "-lpq"], check=True)


def ticks(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return fields[1], [int(field) for field in fields[11:15]]


def server_cpu(postmaster):
    """The processor time of the server's running processes and of its ended processes, which the postmaster adds up."""
    while True:
        gathered = ticks(postmaster)[1][2:]
        total = sum(living_cpu(postmaster))
        # Counts again if a process ended meanwhile, because neither sum would contain its time.
        if ticks(postmaster)[1][2:] == gathered:
            return (total + sum(gathered)) / TICK


def living_cpu(postmaster):
    yield sum(ticks(postmaster)[1][:2])
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent, spent = ticks(entry.name)
            except (FileNotFoundError, ProcessLookupError):
                continue
            if parent == str(postmaster):
                yield sum(spent)


def measure(server, tools, words, environment, times=1, may_fail=False):
    """The average cost of several consecutive runs, because the server's processor clock ticks only every 10 ms."""
    before = server_cpu(server.postmaster)
    done = subprocess.run([tools.timed, str(times), *map(str, words)], capture_output=True, text=True, env=environment)
    # A server process ends a moment after its client.
    time.sleep(0.03)
    after = server_cpu(server.postmaster)
    try:
        wall, cpu, memory, failures = done.stdout.split()
    except ValueError:
        raise SystemExit(f"could not run {words[0]}: {done.stderr}")
    if int(failures) and not may_fail:
        raise SystemExit(f"{' '.join(map(str, words))[:400]}\n{done.stderr[-2000:]}")
    return Spent(float(wall) / times, (float(cpu) + after - before) / times, int(memory) / 1024)


def spread(values):
    return statistics.median(values), min(values), max(values)
