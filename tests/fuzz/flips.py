"""Every kind of damage to a records file, thousands of times: the check must refuse each.

PYTHONPATH=tests python -m fuzz.flips --times 4000 --seed 1
"""

from __future__ import annotations

import argparse
import random
import tempfile
from pathlib import Path

from oracle.exports import random_export
from support.exports import write_export

from verify.errors import IntegrityFailure
from verify.systems.base import Reading
from verify.systems.lighthouse.export import open_export


def damaged(rng: random.Random, data: bytes) -> bytes:
    """One bit flipped, or one line deleted, repeated, moved or swapped; never the same bytes."""
    lines = data.splitlines(keepends=True)
    one, two = rng.randrange(len(lines)), rng.randrange(len(lines))
    how = rng.choice(("flip", "flip", "flip", "delete", "repeat", "move", "swap"))
    if how == "flip":
        at = rng.randrange(len(data))
        return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
    if how == "delete":
        del lines[one]
    elif how == "repeat":
        lines.insert(two, lines[one])
    elif how == "move":
        lines.insert(two, lines.pop(one))
    else:
        lines[one], lines[two] = lines[two], lines[one]
    return b"".join(lines)


def main() -> None:
    """Damage and check, until the number is reached; exit 1 with the case that was let through."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=4000)
    parser.add_argument("--seed", default="1")
    arguments = parser.parse_args()
    rng = random.Random(f"flips {arguments.seed}")
    refused = same = 0
    with tempfile.TemporaryDirectory() as root:
        while refused < arguments.times:
            case = random_export(rng.randrange(2**32), bursts=rng.randrange(2, 12))
            place = write_export(Path(root) / str(refused), case.lines)
            path = place / "records.jsonl"
            data = path.read_bytes()
            for _ in range(40):
                bad = damaged(rng, data)
                if bad == data:
                    same += 1
                    continue
                path.write_bytes(bad)
                try:
                    open_export(place, Reading(cache=False)).close()
                except IntegrityFailure:
                    refused += 1
                else:
                    raise SystemExit(f"let through: {place}")
    print(f"{refused} refused, none let through ({same} times the damage changed nothing)")


if __name__ == "__main__":
    main()
