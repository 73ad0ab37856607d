"""Measures the rows of the benchmark alternately, compares them with their targets, and prints them."""
import dataclasses
import json
import sys

from . import measure, wire

# The highest ratio of the costs with two numbers of users that still counts as constant: indexes get deeper, clocks are inexact.
LEVEL = 1.3
# The number of additional pages that still counts as constant: indexes get deeper, and the planner's samples get larger.
DEEPER = 60
# The number of additional round trips that still counts as constant: an answer can arrive while a long query is still being
# sent.
TURNS = 1
# The factor by which ten times the users may cost more than ten times as much.
LINEAR = 1.2


@dataclasses.dataclass
class Result:
    what: str
    measure: str
    target: float
    ours: dict
    peer: dict
    ratio: dict
    growth: float = None
    memory: list = None
    trips: list = None
    pages: list = None
    verdict: str = ""
    why: list = None


def summary(values):
    if not values:
        return None
    median, low, high = measure.spread(values)
    return {"median": median, "min": low, "max": high}


class Measuring:
    def __init__(self, bench, users, runs):
        self.bench, self.users, self.runs = bench, users, runs

    def sample(self, row, pair, side):
        """Measures one side once, on a new copy of the database if the command changes it."""
        bench, peer = self.bench, side == "peer"
        name = pair.other if peer and pair.other else pair.database
        if pair.fresh:
            name = bench.server.copy(name)
            before = pair.before_peer if peer else pair.before
            if before:
                before(name)
        act = pair.peer if peer else pair.ours
        if row.measure == "seconds" and pair.fresh:
            seconds = act(name)
            return measure.Spent(seconds, seconds)
        words = act(bench.db(name) if name else "")
        # A row that watches a terminal returns the measured seconds.
        if isinstance(words, float):
            return measure.Spent(words, words)
        return measure.measure(bench.server, bench.tools, words, bench.environment, row.times, may_fail=pair.may_fail)

    def samples(self, row, users, runs):
        pair = row.make(self.bench, users)
        sides = {"ours": [], "peer": []}
        # Measures both sides alternately, so that other load on the machine affects both. The first run only fills caches.
        warms = not pair.fresh and row.measure != "megabytes"
        for run in range(runs + warms):
            for side in ("ours", "peer") if pair.peer else ("ours",):
                spent = self.sample(row, pair, side)
                if run >= warms:
                    sides[side].append(spent)
        return pair, sides

    def result(self, row):
        runs = row.runs or self.runs
        pair, sides = self.samples(row, self.users, runs)
        cpu = {side: summary([spent.cpu for spent in taken]) for side, taken in sides.items()}
        wall = {side: summary([spent.wall for spent in taken]) for side, taken in sides.items()}
        pairs = list(zip(sides["ours"], sides["peer"]))
        upside = row.measure == "times faster"
        ratios = {
            key: summary([getattr(b, key) / max(getattr(a, key), 1e-6) if upside else getattr(a, key) / max(getattr(b, key), 1e-6)
                          for a, b in pairs])
            for key in ("cpu", "wall")
        }
        result = Result(
            row.what, row.measure, row.target, {"cpu": cpu["ours"], "wall": wall["ours"]}, {"cpu": cpu["peer"], "wall": wall["peer"]}, ratios,
            memory=[max(spent.memory for spent in sides["ours"])], why=[])
        if row.trips:
            result.trips = [self.trips(row, pair)]
        if row.pages:
            result.pages = [self.bench.pages(pair.ours, pair.database)]
        if row.growth:
            small, before = self.samples(row, self.users // 10, 1 if pair.fresh else min(runs, 3))
            result.growth = cpu["ours"]["median"] / max(summary([spent.cpu for spent in before["ours"]])["median"], 1e-6)
            result.memory.insert(0, max(spent.memory for spent in before["ours"]))
            if row.trips:
                result.trips.insert(0, self.trips(row, small))
            if row.pages:
                result.pages.insert(0, self.bench.pages(small.ours, small.database))
        self.judge(row, result)
        return result

    def trips(self, row, pair):
        name = self.bench.server.copy(pair.database) if pair.fresh else pair.database
        if pair.fresh and pair.before:
            pair.before(name)
        if not pair.fresh:
            return self.bench.trips(pair.ours, name)
        return sum(map(len, wire.overhear(self.bench.server, pair.ours, name, self.bench.environment)))

    def judge(self, row, result):
        if row.target is not None:
            if row.measure == "seconds":
                value = result.ours["cpu"]["median"]
            else:
                value = result.ratio["wall" if row.measure == "wall" else "cpu"]["median"]
            if (value < row.target) if row.measure == "times faster" else (value > row.target):
                result.why.append("target")
        if row.measure != "megabytes" and row.growth == "none" and result.growth > LEVEL:
            result.why.append("grows")
        if row.growth == "linear" and result.growth > 10 * LINEAR:
            result.why.append("grows")
        if row.flat and len(result.memory) > 1 and result.memory[1] > result.memory[0] * LEVEL:
            result.why.append("memory")
        if result.trips and len(result.trips) > 1 and row.growth == "none" and result.trips[1] > result.trips[0] + TURNS:
            result.why.append("trips")
        if result.pages and len(result.pages) > 1 and result.pages[1] > result.pages[0] + DEEPER:
            result.why.append("pages")
        judged = row.target is not None or row.growth == "none" or row.flat or row.pages
        result.verdict = "miss: " + ", ".join(result.why) if result.why else "pass" if judged else "-"


def time(value):
    if value is None:
        return ""
    seconds = value["median"]
    return f"{seconds * 1000:.1f}ms" if seconds < 1 else f"{seconds:.2f}s"


def between(values, form="{:.0f}"):
    return "→".join(form.format(value) for value in values) if values else ""


HEAD = ["what", "ours cpu", "wall", "peer cpu", "wall", "ratio cpu", "(min–max)", "wall", "growth", "MB", "trips", "pages", "target", ""]
WIDTHS = [74, 9, 8, 9, 8, 10, 13, 7, 7, 12, 9, 12, 7, 0]


def line(cells):
    return "".join(cell.ljust(width) if n == 0 else cell.rjust(width) + ("  " if width == 0 else "") for n, (cell, width) in enumerate(zip(cells, WIDTHS)))


def cells(result):
    ratio = result.ratio["cpu"]
    clock = result.measure == "wall"
    return [
        result.what[:73], "" if clock else time(result.ours["cpu"]), time(result.ours["wall"]), "" if clock else time(result.peer["cpu"]),
        time(result.peer["wall"]), f"{ratio['median']:.2f}" if ratio and not clock else "",
        f"{ratio['min']:.2f}–{ratio['max']:.2f}" if ratio else "", f"{result.ratio['wall']['median']:.2f}" if ratio else "",
        f"{result.growth:.2f}" if result.growth is not None else "", between(result.memory, "{:.1f}") if result.memory and result.memory[-1] else "",
        between(result.trips), between(result.pages), "" if result.target is None else f"{result.target:g}", "  " + result.verdict]


def show(results, users, as_json):
    """Prints each row when it is measured, or all rows as one JSON value; returns whether every target was met."""
    done = []
    if not as_json:
        print(f"{users:,} users, and {users // 10:,} for growth; cpu is the processor time of client and server together\n")
        print(line(HEAD))
    for result in results:
        done.append(result)
        if not as_json:
            print(line(cells(result)), flush=True)
        else:
            print(result.what, result.verdict, file=sys.stderr)
    if as_json:
        print(json.dumps({"users": users, "rows": [dataclasses.asdict(result) for result in done]}, indent=1))
    return all(not result.why for result in done)
