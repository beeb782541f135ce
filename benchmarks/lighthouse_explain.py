"""What it costs to try every other choice and every pair, against one cold recompute of all levers.

    nice python benchmarks/lighthouse_explain.py --records 2000000

Both run in this process, on the processor alone and from outside: the cold recompute reads,
checks and loads the export and computes every lever; the search asks the loaded export for its
groups and evaluates every set of one and of two choices. The promise is a ratio of at most three.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from itertools import combinations
from pathlib import Path

from verify.period import month_period
from verify.systems import system_named
from verify.systems.base import Question, Reading
from verify.systems.lighthouse.sample import SamplePlan, make_sample

ZONE = "Europe/Madrid"


def clock() -> tuple[float, float]:
    """Seconds on the wall, and of the processor."""
    return time.perf_counter(), time.process_time()


def since(start: tuple[float, float]) -> tuple[float, float]:
    """Seconds since then."""
    now = clock()
    return now[0] - start[0], now[1] - start[1]


def main() -> None:
    """Make an export, time both, print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=200_000)
    arguments = parser.parse_args()
    month = month_period("2026-10", ZONE)
    system = system_named("lighthouse")
    with tempfile.TemporaryDirectory(prefix="verify-bench-") as place:
        path = Path(place) / "export"
        plan = SamplePlan(1, arguments.records, month.since, month.until, ZONE)
        make_sample(path, plan, {})
        question = Question(since=month.since, until=month.until)
        start = clock()
        with system.open(path, Reading(cache=False)) as export:
            export.recompute(question)
            cold = since(start)
            start = clock()
            worlds = export.worlds(question, 2)
            asked = since(start)
            tried = 0
            for size in (0, 1, 2):
                for choices in combinations(worlds.choices, size):
                    switches = {choice.name: choice.value for choice in choices}
                    if len(switches) == size:
                        worlds.figures(switches)
                        tried += 1
            search = since(start)
    print(f"{arguments.records:,} records, {tried:,} sets of choices\n")
    print("| what | seconds | of processor | against the recompute |\n|---|---|---|---|")
    rows = {
        "one cold recompute of all levers": cold,
        "every set of one and two choices": search,
        "of that, asking the store": asked,
    }
    for name, (wall, processor) in rows.items():
        print(f"| {name} | {wall:.1f} | {processor:.1f} | {wall / cold[0]:.2f} |")


if __name__ == "__main__":
    main()
