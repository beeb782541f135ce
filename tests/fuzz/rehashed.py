"""Mutated lines under a manifest that fits, by the hundred thousand.

    PYTHONPATH=tests python -m fuzz.rehashed --lines 100000 --seed 1

Each export is loaded as a user would, and its figures must be those of an independent strict
reader over the lines that were accepted (`test_load.attack`). The suite runs a few thousand lines
of it.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path

from systems.lighthouse.test_load import Tally, attack, hostile_case


def main() -> None:
    """Attack until enough lines were judged; an AssertionError names the first disagreement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--seed", default="1")
    arguments = parser.parse_args()
    rng = random.Random(f"re-hashed {arguments.seed}")
    tally, exports, started = Tally(), 0, time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        while tally.lines < arguments.lines:
            data, case = hostile_case(rng, only_json=exports % 4 > 0)
            tally.add(attack(Path(place) / str(exports), data, case))
            exports += 1
            if exports % 50 == 0:
                print(f"{exports} exports, {tally}", flush=True)
    print(f"{exports} exports in {time.monotonic() - started:.0f} s: {tally}")


if __name__ == "__main__":
    main()
