"""A row of the benchmark: two commands that run alternately, and the highest allowed ratio of their costs."""
import dataclasses
from typing import Callable, Optional


@dataclasses.dataclass
class Pair:
    """The commands of usher and of the peer, each a function from a conninfo to words; without a peer, the cost of usher is
    compared with the target."""
    database: Optional[str]
    ours: Callable
    peer: Optional[Callable] = None
    # If true, each measurement gets a new copy of the database, because the command changes the database.
    fresh: bool = False
    # The peer's database, if it differs from usher's database.
    other: Optional[str] = None
    # Functions that prepare the copy, by its name, before usher and before the peer; their cost is not measured.
    before: Optional[Callable] = None
    before_peer: Optional[Callable] = None
    # If true, an exit status other than 0 is accepted.
    may_fail: bool = False


@dataclasses.dataclass
class Row:
    what: str
    make: Callable
    target: Optional[float]
    # `cpu`, `wall`, `seconds` (usher only), `times faster` (the peer's cost divided by usher's), `megabytes` (usher only).
    measure: str = "cpu"
    # The allowed growth of the cost from a tenth of the users to all of them: `none` or `linear`. None skips the comparison.
    growth: Optional[str] = None
    # The number of runs in one sample, because the server's clock ticks only every 10 ms.
    times: int = 1
    runs: Optional[int] = None
    trips: bool = False
    # If true, the client's memory may not grow with the number of users.
    flat: bool = False
    # If true, the number of pages that the server reads may not grow with the users. The load of the machine doesn't affect
    # this number.
    pages: bool = False

    @property
    def name(self):
        """The topic, which is the name of the row's file, and the description of the row."""
        return f"{self.make.__module__.rpartition('.')[2]}: {self.what}"


def collect():
    """An empty list of rows, and a decorator that adds a row to it."""
    rows = []

    def row(what, target, **more):
        def add(make):
            rows.append(Row(what, make, target, **more))
            return make
        return add
    return rows, row
