"""The rows of the benchmark by topic; each row names its peer and its target."""
from . import changes, deletions, growth, lookups, start, statistics, streams, waiting

ALL = [*waiting.ROWS, *start.ROWS, *lookups.ROWS, *streams.ROWS, *statistics.ROWS, *changes.ROWS, *deletions.ROWS, *growth.ROWS]
