"""What a row of the table is: two things done in turn, and how much dearer ours may be."""
import dataclasses
from typing import Callable, Optional


@dataclasses.dataclass
class Pair:
    """Ours and the peer's, each a function from a conninfo to words; without a peer ours is held against the target itself."""
    database: Optional[str]
    ours: Callable
    peer: Optional[Callable] = None
    # Each measurement has a copy of the database of its own, since it uses it up.
    fresh: bool = False
    # The peer's database, where it has another.
    other: Optional[str] = None
    # What is done with the copy, by its name, before ours and before the peer's; it costs neither.
    before: Optional[Callable] = None
    before_peer: Optional[Callable] = None
    # A status other than 0 is an answer, too.
    may_fail: bool = False


@dataclasses.dataclass
class Row:
    what: str
    make: Callable
    target: Optional[float]
    # `cpu`, `wall`, `seconds` (ours alone), `times faster` (the peer in ours), `megabytes` (ours alone).
    measure: str = "cpu"
    # How it may grow from a tenth of the users on: not at all, or with them; not asked where there is one size.
    growth: Optional[str] = None
    # How often a sample repeats it, so that the server's clock, which ticks every 10 ms, tells.
    times: int = 1
    runs: Optional[int] = None
    trips: bool = False
    # The memory of the client may not grow with the users.
    flat: bool = False
    # Nor may the pages that the server looks at, which no load of the machine changes.
    pages: bool = False

    @property
    def name(self):
        """The topic, which is the file that it stands in, and what it is."""
        return f"{self.make.__module__.rpartition('.')[2]}: {self.what}"


def collect():
    """A list of rows, and the decorator that adds to it."""
    rows = []

    def row(what, target, **more):
        def add(make):
            rows.append(Row(what, make, target, **more))
            return make
        return add
    return rows, row
