"""The plan of a sample, and the stream of its lines.

A sample is a file of JSON lines in no order of time or type. Equal plans make equal bytes on every
machine that knows the same history of the plan's time zone.
"""

import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Protocol

from verify.errors import UsageProblem
from verify.period import Period
from verify.systems.lighthouse.sample import bulk
from verify.systems.lighthouse.sample.rare import RareLines
from verify.systems.lighthouse.sample.timeline import Timeline, stamps

MINIMUM_RECORDS = 1_000
"""Below this the lines that every sample has (some 320 for a month) would crowd out the rest."""

LONGEST_DAYS, SHORTEST_DAYS = 31, 7
FIRST_YEAR, LAST_YEAR = 2000, 2099

_BATCH = 10_000
"""Lines that are held in memory at once."""


class ByteSink(Protocol):
    """Anything that takes all the bytes it is given: a file opened for binary writing, a hash."""

    def write(self, data: bytes, /) -> object:
        """Take the next bytes of the file."""


@dataclass(frozen=True)
class SamplePlan:
    """What decides every byte of a sample.

    Args:
        seed: a non-negative integer; another one gives other figures.
        records: the exact number of lines, `MINIMUM_RECORDS` at least.
        since: first local day of the period, included.
        until: last local day of the period, included; a calendar month at most.
        time_zone: IANA name of the tenant's zone, in which days begin and end.
        tenant: whose export it is. Records do not say; the manifest does.

    Raises:
        ValueError: naming the value that is not possible and what would be.
    """

    seed: int
    records: int
    since: date
    until: date
    time_zone: str
    tenant: str = "acme"

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise ValueError(f"seed must be 0 or more, got {self.seed}")
        if self.records < MINIMUM_RECORDS:
            raise ValueError(
                f"a sample needs at least {MINIMUM_RECORDS} records, got {self.records}"
            )
        for day in (self.since, self.until):
            if not FIRST_YEAR <= day.year <= LAST_YEAR:
                raise ValueError(
                    f"a sample's days lie in the years {FIRST_YEAR} to {LAST_YEAR}, got {day}"
                )
        days = (self.until - self.since).days + 1
        if not SHORTEST_DAYS <= days <= LONGEST_DAYS:
            raise ValueError(
                f"a sample covers {SHORTEST_DAYS} to {LONGEST_DAYS} days, both ends included, "
                f"got {days} ({self.since} to {self.until})"
            )
        self.timeline()

    def timeline(self) -> Timeline:
        """The instants of the period, from the machine's time zone database."""
        try:
            return Timeline.around(Period(self.since, self.until, self.time_zone))
        except UsageProblem as problem:
            raise ValueError(problem.message) from problem


@dataclass(frozen=True)
class RecordCounts:
    """What was written: lines, bytes, and lines by record type (most frequent first)."""

    records: int
    bytes: int
    by_type: Mapping[str, int]


def write_records(plan: SamplePlan, out: ByteSink) -> RecordCounts:
    """Write the plan's lines to `out`, a few megabytes at a time, and count them.

    Every line ends in a newline, the last one too. Errors of `out` pass through.
    """
    counts: Counter[str] = Counter()
    lines, size = _lines(plan, counts), 0
    while batch := list(islice(lines, _BATCH)):
        batch.append("")
        data = "\n".join(batch).encode()
        size += len(data)
        out.write(data)
    return RecordCounts(plan.records, size, dict(counts.most_common()))


def _lines(plan: SamplePlan, counts: Counter[str]) -> Iterator[str]:
    """The lines in file order, counted by type: rare ones scattered evenly among the others."""
    rng, timeline = random.Random(plan.seed), plan.timeline()
    next_id = _ids(plan.records).__next__
    rare = RareLines(timeline, rng, next_id).shuffled(plan.records)
    stamp = stamps(timeline, rng)
    makers = (
        [("model_call", bulk.calls(rng, stamp, next_id))] * 48
        + [("retrieval", bulk.searches(rng, stamp, next_id))] * 33
        + [("routing_decision", bulk.decisions(rng, stamp, next_id))] * 10
        + [("tool_call", bulk.others("tool_call", "ms", rng, stamp))] * 3
        + [("heartbeat", bulk.others("heartbeat", "uptime_s", rng, stamp))] * 2
        + [("eval", bulk.others("eval", "passed", rng, stamp))] * 2
    )
    uniform, size = rng.random, len(makers)

    def fill(count: int) -> Iterator[str]:
        for _ in range(count):
            kind, make = makers[int(uniform() * size)]
            counts[kind] += 1
            yield make()

    written = 0
    for number, (kind, line) in enumerate(rare):
        first = number * plan.records // len(rare)
        after = (number + 1) * plan.records // len(rare)
        place = first + int(uniform() * (after - first))
        yield from fill(place - written)
        counts[kind] += 1
        yield line
        written = place + 1
    yield from fill(plan.records - written)


def _ids(records: int) -> Iterator[int]:
    """The numbers 1 to `records`, each once, in an order that looks shuffled."""
    step = records * 618 // 1000
    while math.gcd(step, records) != 1:
        step += 1
    number = 0
    while True:
        number = (number + step) % records
        yield number + 1
