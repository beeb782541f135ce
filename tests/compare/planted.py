"""Proof that planted choices are found: exports made at random, one or two choices planted.

    nice python tests/compare/planted.py --exports 200

An export is made from a seed, in a time zone and month of that seed. One or two switches are drawn
among those that move a printed figure, the product's reads are calculated with them, and `explain`
is asked why they differ. Which sets *could* have made these reads is worked out apart from it, by
brute force: every set of that size whose totals agree makes its own reads, and is a twin when they
are the same bytes. Then a set that is named and is no twin is wrong; a twin that is not named is
missed. The suite runs a few seeds of it (test_planted.py).
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, cast

from verify.compare.explain import Explanation, explain
from verify.compare.figures import Claims
from verify.compare.tieout import precisions_of, ties
from verify.compare.worlds import Choice, Worlds
from verify.period import month_period
from verify.systems import system_named
from verify.systems.base import Export, Question, Reading
from verify.systems.lighthouse.sample import SamplePlan, build_reads, make_sample

RECORDS = 1000
ZONES = (
    "America/New_York",
    "America/Santiago",
    "America/St_Johns",
    "Asia/Kathmandu",
    "Asia/Tokyo",
    "Australia/Lord_Howe",
    "Europe/Madrid",
    "Pacific/Chatham",
    "UTC",
)
Switches = Mapping[str, str | bool]
Name = frozenset[tuple[str, str | bool]]


@dataclass(frozen=True)
class Outcome:
    """What was planted, what could have been, and what was named."""

    seed: int
    planted: Switches
    twins: frozenset[Name]
    named: frozenset[Name]
    residual: bool

    @property
    def verdict(self) -> str:
        """`exact`, `together` (all twins, more than one), `missed` or `wrong`."""
        if self.named - self.twins or self.residual:
            return "wrong"
        if self.twins - self.named:
            return "missed"
        return "exact" if len(self.twins) == 1 else "together"


@dataclass(frozen=True)
class Remembering:
    """An export that answers for other worlds from the grid of its case."""

    export: Export
    known: Worlds

    def worlds(self, *_: object) -> Worlds:
        return self.known

    def __getattr__(self, name: str) -> Any:
        return getattr(self.export, name)


def name_of(choices: tuple[Choice, ...]) -> Name:
    return frozenset((choice.name, choice.value) for choice in choices)


@dataclass(frozen=True)
class Case:
    """An export of a seed, opened, with the choices that could be planted in its reads."""

    seed: int
    export: Export
    plan: SamplePlan
    worlds: Worlds

    def reads(self, switches: Switches) -> Mapping[str, bytes]:
        plan = self.plan
        return build_reads(
            self.export,
            since=plan.since,
            until=plan.until,
            time_zone=plan.time_zone,
            switches=switches,
        )


@contextmanager
def case(seed: int, records: int = RECORDS) -> Iterator[Case]:
    """The export of a seed."""
    chooser = random.Random(seed)
    zone = chooser.choice(ZONES)
    month = month_period(f"2026-{chooser.randint(1, 12):02}", zone)
    plan = SamplePlan(seed, records, month.since, month.until, zone)
    with tempfile.TemporaryDirectory() as place:
        make_sample(Path(place) / "export", plan, {})
        reading = Reading(cache=False)
        with system_named("lighthouse").open(Path(place) / "export", reading) as export:
            question = Question(since=month.since, until=month.until, time_zone=zone)
            yield Case(seed, export, plan, export.worlds(question, 2))


def planted(case: Case, size: int) -> Switches:
    """Choices at random, of which each moves a printed figure beside the others."""
    chooser = random.Random(case.seed * 7 + size)
    while True:
        by_name: dict[str, list[Choice]] = {}
        for choice in case.worlds.choices:
            by_name.setdefault(choice.name, []).append(choice)
        names = chooser.sample(sorted(by_name), size)
        chosen = {name: chooser.choice(by_name[name]).value for name in names}
        reads = case.reads(chosen)
        without = ({n: v for n, v in chosen.items() if n != name} for name in names)
        if all(case.reads(fewer) != reads for fewer in without):
            return chosen


def twins(case: Case, switches: Switches) -> frozenset[Name]:
    """Every set of that many choices that makes the very same reads; fewer choices, if they do."""
    reads = case.reads(switches)
    claims = _claims(reads)
    measures = system_named("lighthouse").measures.values()
    precisions = precisions_of(
        claims.figures, {m.name: m.unit for group in measures for m in group}
    )
    for size in range(1, len(switches) + 1):
        found = set()
        for choices in combinations(case.worlds.choices, size):
            chosen = {choice.name: choice.value for choice in choices}
            if len(chosen) < size:
                continue
            values = case.worlds.figures(chosen)
            near = all(
                ties(figure, values[figure.at], precisions)
                for figure in claims.figures
                if figure.at.dimension is None and figure.at in values
            )
            if near and case.reads(chosen) == reads:
                found.add(name_of(choices))
        if found:
            return frozenset(found)
    raise AssertionError("the planted set itself makes its reads")


def _claims(reads: Mapping[str, bytes]) -> Claims:
    with tempfile.TemporaryDirectory() as place:
        for name, body in reads.items():
            (Path(place) / name).write_bytes(body)
        return system_named("lighthouse").read_claims(Path(place))


def outcome(case: Case, switches: Switches) -> tuple[Outcome, Explanation]:
    """What `explain` makes of reads that were calculated with these switches."""
    claims = _claims(case.reads(switches))
    export = cast(Export, Remembering(case.export, case.worlds))
    told = explain(system_named("lighthouse"), export, claims, Question())
    named = frozenset(name_of(choices) for choices in told.sets)
    left = bool(told.remaining) or any(cause.residual for cause in told.causes)
    return Outcome(case.seed, switches, twins(case, switches), named, left), told


def main() -> int:
    """Run many, print those that are not plain, and count."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--exports", type=int, default=200)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--records", type=int, default=RECORDS)
    arguments = parser.parse_args()
    counts: Counter[str] = Counter()
    started = time.monotonic()
    for seed in range(arguments.first, arguments.first + arguments.exports):
        with case(seed, arguments.records) as made:
            size = 1 + seed % 2
            result, _ = outcome(made, planted(made, size))
        counts[f"{result.verdict} of {size}"] += 1
        if result.verdict != "exact":
            print(
                f"{seed}: {result.verdict}: planted {dict(result.planted)}, named "
                f"{[dict(n) for n in result.named]}, could be {[dict(n) for n in result.twins]}, "
                f"residual {result.residual}",
                flush=True,
            )
        if seed % 10 == 0:
            print(f"{seed}: {dict(counts)} {time.monotonic() - started:.0f} s", flush=True)
    print(dict(counts))
    return 1 if any(name.startswith(("wrong", "missed")) for name in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
